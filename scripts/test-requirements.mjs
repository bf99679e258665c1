// What the tests need beyond npm: Chromium for the web app, Python for the released Python clients. Plain Node 18, like setup.mjs.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashFiles, root, run, SetupError, say, succeeds } from "./setup.mjs";

const BROWSERS = [
	"/usr/bin/chromium",
	"/usr/bin/chromium-browser",
	"/usr/bin/google-chrome",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** @returns {Promise<string>} path of a Chromium; `CHROMIUM` in the environment names another one */
export async function installBrowser() {
	const named = process.env.CHROMIUM;
	if (named) {
		if (!existsSync(named)) throw new SetupError(`CHROMIUM names ${named}, which does not exist.`);
		return named;
	}
	const find = () => BROWSERS.find((path) => existsSync(path));
	if (find() === undefined) await installFromDebian(["chromium"], "Chromium, for the browser tests");
	const found = find();
	if (found === undefined)
		throw new SetupError("Chromium was installed but is not in /usr/bin; set CHROMIUM to its path.");
	return found;
}

const PYTHON_REQUIREMENTS = "e2e/python/requirements.txt";

/** Makes a virtual environment with the Python clients, unless it is there. @returns {Promise<string>} path of its Python */
export async function installPythonClients() {
	const folder = join(root, ".cache", "python");
	const python = join(folder, "bin", "python");
	const stamp = join(folder, "requirements.sha256");
	const wanted = hashFiles([PYTHON_REQUIREMENTS]);
	if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted && succeeds(python, ["-c", ""])) return python;
	if (!succeeds("python3", ["-c", "import ensurepip, venv"])) {
		await installFromDebian(["python3", "python3-venv"], "Python 3 with venv, for the tests with the Python clients");
	}
	say("Installing the Python clients that the tests use (only when their list has changed) …");
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const made = await run("python3", ["-m", "venv", folder]);
	const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", PYTHON_REQUIREMENTS];
	if (made !== 0 || (await run(python, pip)) !== 0) {
		throw new SetupError(
			"The Python clients could not be installed, see above. This needs PyPI (or the mirror in your pip.conf).",
		);
	}
	writeFileSync(stamp, wanted);
	return python;
}

async function installFromDebian(packages, purpose) {
	const isRoot = process.getuid?.() === 0;
	if (!isRoot || !succeeds("apt-get", ["--version"])) {
		throw new SetupError(
			`Missing: ${purpose}. Install it (on Debian: apt-get install ${packages.join(" ")}) and run this command again.`,
		);
	}
	say(`Installing ${packages.join(", ")} from Debian's packages …`);
	const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
	const install = ["install", "--yes", "--quiet", "--no-install-recommends", ...packages];
	const codes = [await run("apt-get", ["update", "--quiet"], { env }), await run("apt-get", install, { env })];
	if (codes[1] !== 0) throw new SetupError(`apt-get could not install ${packages.join(", ")}, see above.`);
}
