// Which symmetries the images have: the sentence, the table, and images beside their transformed versions.
const answer = {
  render(about) {
    dom.get("answer").hidden = !about;
    if (!about) return;
    dom.get("answer-sentence").textContent = about.sentence;
    dom.get("answer-about").textContent = about.about;
    const cells = (words, tag) => words.map((word) => dom.make(tag, {}, word));
    dom.fill(
      dom.get("answer-table"),
      dom.make("thead", {}, dom.make("tr", {}, ...cells(about.head, "th"))),
      dom.make("tbody", {}, ...about.rows.map((row) => dom.make("tr", {}, ...cells(row, "td")))),
    );
    dom.fill(dom.get("answer-notes"), ...about.notes.map((note) => dom.make("li", {}, note)));
    answer.samples(about);
    answer.profiles(about.profiles);
  },

  samples(about) {
    const place = dom.get("answer-samples");
    if (!about.originals) return dom.fill(place);
    const rows = [{ name: "as they are", told: null, images: about.originals }, ...about.samples];
    return dom.fill(
      place,
      ...rows.map(({ name, told, images }) => {
        const pictures = images.map((src, k) => dom.make("img", { src, alt: `image ${k + 1}, ${name}` }));
        const note = told === null ? null : dom.make("small", {}, `told apart ${told.toFixed(3)}`);
        return dom.make("figure", {}, dom.make("figcaption", {}, name, note), dom.make("div", {}, ...pictures));
      }),
    );
  },

  profiles(profiles) {
    const places = profiles.map(() => dom.make("div"));
    dom.fill(dom.get("answer-profiles"), ...places);
    profiles.forEach(({ name, at, told }, k) =>
      charts.draw(
        places[k],
        [{ x: at, y: told, mode: "lines+markers", line: { color: colours.css("--accent"), width: 2 } }],
        { height: 200, xaxis: charts.axis(charts.plain(name)), yaxis: charts.axis("told apart", { range: [0.45, 1] }) },
      ),
    );
  },
};
