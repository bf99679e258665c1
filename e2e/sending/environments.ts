import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { PYTHON } from "../python-clients.ts";
import type { Recipe } from "./pages.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const CACHE = join(ROOT, ".cache/sending");
/** `npm test` installs it, and says in UV_DEFAULT_INDEX which mirror pip is told to use. */
const UV = process.env["E2E_UV"] ?? join(ROOT, ".cache/uv/bin/uv");
const VERSIONS = join(import.meta.dirname, "versions");
/** What the pages write for packages of a clone. */
const OWN_PYTHON = "./clients/python";
const OWN_JAVASCRIPT = "../spanward/clients/typescript-otel/dist";
const OWN_BUILT = join(CACHE, "clients/typescript-otel");
const QUIET_NPM = [
	"--no-audit",
	"--no-fund",
	"--ignore-scripts",
	"--omit-lockfile-registry-resolved",
	"--loglevel=error",
];

/** Where a recipe's packages are installed, and what its commands run with. */
export interface Environment {
	readonly folder: string;
	readonly env: Readonly<Record<string, string>>;
}

/** The versions that were seen to work: one line a package, or npm's lock file. */
export function versionsFile({ name, pip }: Recipe): string {
	return pip.length > 0 ? join(VERSIONS, `${name}.txt`) : join(VERSIONS, name, "package-lock.json");
}

/**
 * Where `npm test` has installed the versions of `versions/`.
 * @throws when they are not there
 */
export function findEnvironment(recipe: Recipe): Environment {
	const environment = environmentOf(recipe);
	if (!isInstalled(recipe, environment))
		throw new Error(`${recipe.name} is not installed as versions/ says: see above why, or run npm test sending`);
	return environment;
}

/**
 * Installs the versions of `versions/`, unless exactly these are there already.
 * @throws when uv or npm fails, with what they said
 */
export async function installNoted(recipe: Recipe): Promise<void> {
	const environment = environmentOf(recipe);
	if (isInstalled(recipe, environment)) return;
	await makeFolder(recipe, environment);
	if (recipe.pip.length > 0) {
		await uvPip(environment, "install", ["--no-deps", "--requirement", versionsFile(recipe)]);
	} else {
		cpSync(versionsFile(recipe), join(environment.folder, "package-lock.json"));
		writeManifest(environment, readLock(recipe).packages[""].dependencies);
		await run("npm", ["ci", "--install-links", ...QUIET_NPM], { cwd: environment.folder });
	}
	noteInstalled(recipe, environment);
}

/** Installs what the page says, as it stands there, and notes the versions that came. */
export async function installNewest(recipe: Recipe): Promise<void> {
	const environment = environmentOf(recipe);
	await makeFolder(recipe, environment);
	if (recipe.pip.length > 0) {
		await uvPip(environment, "install", ["--refresh", ...recipe.pip]);
		writeFileSync(versionsFile(recipe), await uvPip(environment, "freeze", ["--exclude", "spanward"]));
	} else {
		writeManifest(environment, {});
		const packages = recipe.npm.map((word) => (word === OWN_JAVASCRIPT ? OWN_BUILT : word));
		await run("npm", ["install", "--prefer-online", ...QUIET_NPM, ...packages], { cwd: environment.folder });
		mkdirSync(join(VERSIONS, recipe.name), { recursive: true });
		cpSync(join(environment.folder, "package-lock.json"), versionsFile(recipe));
	}
	noteInstalled(recipe, environment);
}

/** The packages that `versions/` names for what the page installs, and those that the page names. */
export function namesOf(recipe: Recipe): { readonly noted: readonly string[]; readonly printed: readonly string[] } {
	if (recipe.pip.length > 0) {
		const noted = readFileSync(versionsFile(recipe), "utf8").matchAll(/^([\w.-]+)==/gm);
		return {
			noted: Array.from(noted, ([, name = ""]) => normalized(name)),
			printed: recipe.pip.filter((word) => !word.startsWith(OWN_PYTHON)).map(normalized),
		};
	}
	return {
		noted: Object.keys(readLock(recipe).packages[""].dependencies),
		printed: recipe.npm
			.filter((word) => !word.startsWith("--"))
			.map((word) => (word === OWN_JAVASCRIPT ? "@spanward/otel" : word)),
	};
}

function environmentOf({ name, pip: packages }: Recipe): Environment {
	const folder = join(CACHE, name);
	const bin = packages.length > 0 ? join(folder, "bin") : join(process.execPath, "..");
	const path = `${bin}:${process.env["PATH"] ?? ""}`;
	return {
		folder,
		env: { PATH: path, ...(usesOwnPython(packages) ? { PYTHONPATH: join(ROOT, OWN_PYTHON, "src") } : {}) },
	};
}

function usesOwnPython(packages: readonly string[]): boolean {
	return packages.some((word) => word.startsWith(OWN_PYTHON));
}

async function makeFolder(recipe: Recipe, { folder }: Environment): Promise<void> {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	if (recipe.pip.length > 0) await run(PYTHON, ["-m", "venv", "--without-pip", folder]);
	if (recipe.npm.includes(OWN_JAVASCRIPT)) {
		await run(process.execPath, [join(ROOT, "scripts/build-clients.mjs"), join(OWN_BUILT, "..")]);
	}
}

function isInstalled(recipe: Recipe, { folder }: Environment): boolean {
	const stamp = join(folder, "stamp.sha256");
	return existsSync(stamp) && existsSync(versionsFile(recipe)) && readFileSync(stamp, "utf8") === stampOf(recipe);
}

function noteInstalled(recipe: Recipe, { folder }: Environment): void {
	writeFileSync(join(folder, "stamp.sha256"), stampOf(recipe));
}

function writeManifest({ folder }: Environment, dependencies: Readonly<Record<string, string>>): void {
	writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
}

interface Lock {
	readonly packages: { readonly "": { readonly dependencies: Readonly<Record<string, string>> } };
}

function readLock(recipe: Recipe): Lock {
	return JSON.parse(readFileSync(versionsFile(recipe), "utf8")) as Lock;
}

/** Of the versions, and of our own package where it is installed. */
function stampOf(recipe: Recipe): string {
	const own = recipe.npm.includes(OWN_JAVASCRIPT)
		? OWN_SOURCES.map((path) => readFileSync(join(ROOT, path), "utf8"))
		: [];
	return createHash("sha256")
		.update([readFileSync(versionsFile(recipe), "utf8"), ...own].join("\n"))
		.digest("hex");
}

const OWN_SOURCES = ["endpoint.ts", "register.ts", "tracer-provider.ts"].map(
	(name) => `clients/typescript-otel/src/${name}`,
);

async function uvPip({ folder }: Environment, command: string, words: readonly string[]): Promise<string> {
	const args = ["--quiet", "pip", command, "--python", join(folder, "bin/python"), ...words];
	return (await run(UV, args, { cwd: ROOT })).stdout;
}

/** As PyPI compares names. */
function normalized(name: string): string {
	return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}
