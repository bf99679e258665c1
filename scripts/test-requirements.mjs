// What the tests need beyond npm: Chromium for the web app, Python for the released Python clients, and the directories,
// providers and proxies that people sign in with and through. Plain Node 18, like setup.mjs.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { filesBelow, hashFiles, root, run, SetupError, say, succeeds } from "./setup.mjs";

/** Chromium without its windows, which cost more than the pages in them. */
const SHELL = "/usr/bin/chromium-headless-shell";
const BROWSERS = [
	SHELL,
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
	if (!existsSync(SHELL) && canInstall()) await installShell();
	if (find() === undefined) await installFromDebian(["chromium"], "Chromium, for the browser tests");
	const found = find();
	if (found === undefined)
		throw new SetupError("Chromium was installed but is not in /usr/bin; set CHROMIUM to its path.");
	return found;
}

async function installShell() {
	try {
		await installFromDebian(["chromium-headless-shell"], "Chromium, for the browser tests");
	} catch (error) {
		// Not every release of Debian has it.
		if (!(error instanceof SetupError)) throw error;
	}
}

const PYTHON_REQUIREMENTS = "e2e/python/requirements.txt";
const UV = "uv==0.13.9";

/**
 * Makes a virtual environment with the Python clients, unless it is there, and uv, for the environments of e2e/sending.
 * @returns {Promise<{ E2E_PYTHON: string, E2E_UV: string }>} for the tests' environment
 */
export async function installPythonClients() {
	const uv = await installUv();
	const python = await installPython("python", hashFiles([PYTHON_REQUIREMENTS]), async (folder) => {
		say("Installing the Python clients that the tests use (only when their list has changed) …");
		return await installByUv(uv, folder, ["--requirement", PYTHON_REQUIREMENTS]);
	});
	return { E2E_PYTHON: python, E2E_UV: uv };
}

/** @type {Promise<string> | undefined} */
let installedUv;

/** uv takes a tenth of pip's time, and links files instead of copying them. @returns its path */
function installUv() {
	installedUv ??= makeUv();
	return installedUv;
}

async function makeUv() {
	const python = await installPython("uv", UV, async (folder) => {
		if (!succeeds("python3", ["-c", "import ensurepip, venv"])) {
			await installFromDebian(["python3", "python3-venv"], "Python 3 with venv, for the tests with the Python clients");
		}
		const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV];
		return (
			(await run("python3", ["-m", "venv", folder])) === 0 && (await run(join(folder, "bin", "python"), pip)) === 0
		);
	});
	return join(python, "..", "uv");
}

/**
 * Makes a virtual environment with packages in it.
 * @param {string} uv its path
 * @param {string} folder of the environment
 * @param {string[]} packages as `pip install` takes them
 * @returns {Promise<boolean>} whether it was made
 */
async function installByUv(uv, folder, packages) {
	const pip = ["--quiet", "pip", "install", "--python", join(folder, "bin", "python"), ...packages];
	return (
		(await run("python3", ["-m", "venv", "--without-pip", folder])) === 0 &&
		(await run(uv, pip, { env: uvEnvironment(uv) })) === 0
	);
}

/** uv does not read pip's configuration: the mirror that is set there is told to it. @param {string} uv its path */
export function uvEnvironment(uv) {
	const { stdout } = spawnSync(join(uv, "..", "python"), ["-m", "pip", "config", "list"], { encoding: "utf8" });
	const mirror = /^(?:global|site|user|:env:)\.index-url='(.+)'$/m.exec(stdout)?.[1];
	return { ...process.env, ...(mirror === undefined ? {} : { UV_DEFAULT_INDEX: mirror }) };
}

/**
 * Makes a virtual environment, unless it is there.
 * @param {string} name of its folder
 * @param {string} contents what it has to hold; when that changes it is made anew
 * @param {(folder: string) => Promise<boolean>} make whether it was made
 * @returns {Promise<string>} path of its Python
 */
async function installPython(name, contents, make) {
	const folder = join(root, ".cache", name);
	const python = join(folder, "bin", "python");
	const stamp = join(folder, "contents.txt");
	if (existsSync(stamp) && readFileSync(stamp, "utf8") === contents && succeeds(python, ["-c", ""])) return python;
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	if (!(await make(folder))) {
		throw new SetupError(
			`What the tests need of Python (${name}) could not be installed, see above. This needs PyPI, or the mirror in your pip.conf.`,
		);
	}
	writeFileSync(stamp, contents);
	return python;
}

/** What e2e/agents/programs lists, in a folder of its own: it is large, and nothing of it belongs to Spanward. */
export async function installAgentPrograms() {
	const folder = join(root, ".cache", "agents");
	const stamp = join(folder, "contents.txt");
	const lists = ["package.json", "package-lock.json"];
	const contents = hashFiles(lists.map((name) => `e2e/agents/programs/${name}`));
	if (existsSync(stamp) && readFileSync(stamp, "utf8") === contents) return;
	say("Installing the programs that the tests of the MCP endpoint use (only when their list has changed) …");
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	for (const name of lists) copyFileSync(join(root, "e2e/agents/programs", name), join(folder, name));
	const ci = ["ci", "--ignore-scripts", "--no-engine-strict", "--no-audit", "--no-fund", "--loglevel=error"];
	if ((await run("npm", ci, { cwd: folder })) !== 0)
		throw new SetupError("The programs of e2e/agents could not be installed, see above. This needs the npm registry.");
	writeFileSync(stamp, contents);
}

/** What has to be there, by the names that tests give to `testWith`. */
const PROGRAMS = JSON.parse(readFileSync(join(root, "e2e/peers/programs.json"), "utf8"));
/** The packages that bring it. */
const PEERS = {
	slapd: { files: PROGRAMS.slapd, packages: ["slapd", "ldap-utils"], services: ["slapd"] },
	samba: {
		files: PROGRAMS.samba,
		packages: ["samba-ad-dc", "samba-ad-provision", "samba-dsdb-modules", "winbind", "ldap-utils", "openssl"],
		services: ["samba-ad-dc", "smbd", "nmbd", "winbind"],
	},
	keycloak: {
		files: [...PROGRAMS.keycloak, "/usr/bin/mvn", "/usr/bin/unzip"],
		// Maven brings Java.
		packages: ["maven", "unzip"],
		services: [],
	},
	postgres: { files: PROGRAMS.postgres, packages: ["postgresql-15"], services: ["postgresql"] },
	nginx: { files: PROGRAMS.nginx, packages: ["nginx-light"], services: ["nginx"] },
	clickhouse: { files: [], packages: [], services: [] },
	// As Keycloak: Maven brings Java.
	zookeeper: { files: [...PROGRAMS.zookeeper, "/usr/bin/mvn"], packages: ["maven"], services: [] },
};
const KEYCLOAK_VERSION = "26.7.0";
const CLICKHOUSE_ENGINE = "chdb-core==26.9.0";

/** The tests below e2e whose path contains a filter, all without one. @param {string[]} filters */
export function endToEndTests(filters) {
	const parts = filters.map((filter) => relative(root, resolve(root, filter)));
	return filesBelow("e2e").filter(
		(path) => path.endsWith(".test.ts") && (parts.length === 0 || parts.some((part) => path.includes(part))),
	);
}

/** The peers that these tests name in `testWith("slapd", …)`. @param {string[]} tests */
export function peersOf(tests) {
	const sources = tests.map((path) => readFileSync(join(root, path), "utf8"));
	const called = sources.flatMap((source) => [...source.matchAll(/\btestWith\(([^)]*)\)/g)].map(([, names]) => names));
	return Object.keys(PEERS).filter((name) => called.some((names) => new RegExp(`"(any )?${name}"`).test(names)));
}

/** Installs what is missing of these peers. Where it cannot, it says so: the tests skip then, or fail with CI=true. */
export async function installPeers(names) {
	for (const name of names) {
		try {
			const { files, packages, services } = PEERS[name];
			if (!files.every((path) => existsSync(path))) {
				await withoutServices(services, () => installFromDebian(packages, `${name}, for the tests`));
			}
			if (name === "keycloak") await installKeycloak();
			if (name === "clickhouse") await installClickHouse();
			if (name === "zookeeper") await installZooKeeper();
		} catch (error) {
			if (!(error instanceof SetupError)) throw error;
			say(error.message);
		}
	}
}

/** Debian starts what it installs, and at each boot: the tests start their own, and its ports may be somebody else's. */
async function withoutServices(services, install) {
	const policy = "/usr/sbin/policy-rc.d";
	const isOurs = services.length > 0 && process.getuid?.() === 0 && !existsSync(policy);
	if (isOurs) writeFileSync(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
	try {
		await install();
		for (const service of services) succeeds("systemctl", ["disable", "--quiet", service]);
	} finally {
		if (isOurs) rmSync(policy);
	}
}

/** 181 MB from PyPI, 559 MB on the disk. What it depends on is for users of the library, not for its engine. */
async function installClickHouse() {
	const uv = await installUv();
	await installPython("clickhouse", CLICKHOUSE_ENGINE, async (folder) => {
		say(`Fetching ClickHouse's engine (${CLICKHOUSE_ENGINE}) from PyPI, 181 MB …`);
		return await installByUv(uv, folder, ["--no-deps", CLICKHOUSE_ENGINE]);
	});
}

/** 11 MB from a Maven repository. */
async function installZooKeeper() {
	const folder = join(root, ".cache", "zookeeper");
	const pom = "e2e/peers/zookeeper/pom.xml";
	const stamp = join(folder, "contents.txt");
	const contents = hashFiles([pom]);
	if (existsSync(stamp) && readFileSync(stamp, "utf8") === contents) return;
	say("Fetching ZooKeeper with Maven, 11 MB …");
	rmSync(folder, { recursive: true, force: true });
	const copy = ["-B", "-q", "-f", join(root, pom), "dependency:copy-dependencies", `-DoutputDirectory=${folder}`];
	if ((await run("mvn", copy)) !== 0)
		throw new SetupError(
			"ZooKeeper could not be fetched, see above. This needs a Maven repository with org.apache.zookeeper.",
		);
	writeFileSync(stamp, contents);
}

async function installKeycloak() {
	const folder = join(root, ".cache", "keycloak");
	const version = join(folder, "version.txt");
	if (existsSync(version) && readFileSync(version, "utf8").includes(KEYCLOAK_VERSION)) return;
	say(`Fetching Keycloak ${KEYCLOAK_VERSION} with Maven, 180 MB …`);
	const unpacked = join(root, ".cache", "keycloak-unpacking");
	rmSync(folder, { recursive: true, force: true });
	rmSync(unpacked, { recursive: true, force: true });
	const name = `keycloak-quarkus-dist-${KEYCLOAK_VERSION}.zip`;
	const artifact = `org.keycloak:keycloak-quarkus-dist:${KEYCLOAK_VERSION}:zip`;
	const copy = ["-B", "-q", "dependency:copy", `-Dartifact=${artifact}`, `-DoutputDirectory=${unpacked}`];
	if ((await run("mvn", copy)) !== 0 || (await run("unzip", ["-q", join(unpacked, name), "-d", unpacked])) !== 0) {
		throw new SetupError("Keycloak could not be fetched, see above. This needs a Maven repository with org.keycloak.");
	}
	renameSync(join(unpacked, `keycloak-${KEYCLOAK_VERSION}`), folder);
	rmSync(unpacked, { recursive: true, force: true });
}

function canInstall() {
	return process.getuid?.() === 0 && succeeds("apt-get", ["--version"]);
}

/** One after the other: apt-get has a lock. */
let installing = Promise.resolve();

/** @param {string[]} packages @param {string} purpose */
function installFromDebian(packages, purpose) {
	const installed = installing.then(() => runAptGet(packages, purpose));
	installing = installed.catch(() => undefined);
	return installed;
}

async function runAptGet(packages, purpose) {
	if (!canInstall()) {
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
