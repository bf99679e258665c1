import { cp, mkdir, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { runToEnd } from "../peers/process.ts";

const ROOT = join(import.meta.dirname, "../..");

export interface Copy {
	/** Stage it copies from; undefined for the folder that is built. */
	readonly from: string | undefined;
	readonly sources: readonly string[];
	readonly target: string;
}

export interface Stage {
	readonly name: string | undefined;
	readonly image: string;
	readonly copies: readonly Copy[];
	readonly instructions: readonly { readonly name: string; readonly text: string }[];
}

/** The stages of the Dockerfile; what it may say is what ours says. */
export async function readDockerfile(): Promise<Stage[]> {
	const text = await readFile(join(ROOT, "Dockerfile"), "utf8");
	const lines = text
		.replace(/^#.*\n/gm, "")
		.replace(/\\\n\s*/g, " ")
		.split("\n")
		.filter((line) => line.trim() !== "");
	const stages: { name: string | undefined; image: string; instructions: { name: string; text: string }[] }[] = [];
	for (const line of lines) {
		const [, name = "", rest = ""] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
		const [image = "", , stage] = rest.split(/\s+/);
		if (name === "FROM") stages.push({ name: stage, image, instructions: [] });
		else stages.at(-1)?.instructions.push({ name, text: rest });
	}
	return stages.map((stage) => ({
		...stage,
		copies: stage.instructions.filter(({ name }) => name === "COPY").map((instruction) => toCopy(instruction.text)),
	}));
}

function toCopy(text: string): Copy {
	const words = text.split(/\s+/);
	const from = words.find((word) => word.startsWith("--from="))?.slice("--from=".length);
	const paths = words.filter((word) => !word.startsWith("--"));
	return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? "" };
}

/**
 * Puts `/app` of the image together in `folder` as the Dockerfile says: its copies, and the installation of its stage
 * "dependencies". The web app is the one that is built already.
 */
export async function assembleImage(folder: string): Promise<void> {
	const [, dependencies, image] = await readDockerfile();
	if (dependencies === undefined || image === undefined) throw new Error("the Dockerfile has three stages");
	for (const copy of dependencies.copies) await copyInto(folder, copy);
	const install = dependencies.instructions.find(({ name, text }) => name === "RUN" && text.startsWith("npm ci"));
	if (install === undefined) throw new Error("the stage of the dependencies installs them by npm ci");
	await runToEnd("npm", install.text.split(" ").slice(1), { cwd: folder });
	for (const copy of image.copies) {
		if (copy.from === "build") await cp(join(ROOT, "apps/web/dist"), join(folder, copy.target), { recursive: true });
		else if (copy.from === undefined && !copy.target.startsWith("/")) await copyInto(folder, copy);
	}
}

/** A file copied to a folder keeps its name; a folder's content goes into the target. */
async function copyInto(folder: string, { sources, target }: Copy): Promise<void> {
	for (const source of sources) {
		const isIntoFolder = target.endsWith("./") || target.endsWith("/");
		const to = normalize(join(folder, isIntoFolder ? join(target, source) : target));
		await mkdir(dirname(to), { recursive: true });
		await cp(join(ROOT, source), to, {
			recursive: true,
			filter: (path) => !/\/(node_modules|dist)$|\.test\.tsx?$/.test(path),
		});
	}
}
