import subprocess
import sys


def test_importing_and_loading_the_default_stays_light():
    code = "import sys, lgn.data; lgn.data.load(); print(*({'PIL', 'pooch', 'requests'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ""
