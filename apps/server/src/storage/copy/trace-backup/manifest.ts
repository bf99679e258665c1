import { readFileSync, statSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { z } from "zod";
import { syncToDisk } from "../put-in-place.ts";
import { parsePlace } from "./backup-place.ts";

const moment = z.iso.datetime();

const Manifest = z.object({
	format: z.literal(1),
	installation_id: z.string().min(1),
	metadata: z.object({
		file: z.string(),
		bytes: z.int().nonnegative(),
		/** Everything in it was there by then. */
		moment,
	}),
	traces: z.object({
		database: z.string().regex(/^[A-Za-z0-9_]{1,64}$/),
		/** Before ClickHouse began. */
		moment,
		completed: moment,
		place: z.string().transform((text, context) => {
			const place = parsePlace(text);
			if (place !== undefined) return place;
			context.addIssue("it is no place of a backup");
			return z.NEVER;
		}),
		/** Below the place, of each shard in their order. */
		shards: z
			.array(z.string().regex(/^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/))
			.min(1)
			.max(64),
	}),
});

/** What belongs together: a backup of the metadata database, and one of its traces in ClickHouse. */
export type Manifest = z.output<typeof Manifest>;

/** The manifest lies beside the backup of the metadata database. */
export function manifestPath(metadataFile: string): string {
	return `${metadataFile}.traces.json`;
}

/** Writes a new file that only its owner can read. @throws when it exists */
export function writeManifest(metadataFile: string, manifest: z.input<typeof Manifest>): string {
	const path = manifestPath(metadataFile);
	writeFileSync(path, `${JSON.stringify(manifest, undefined, "\t")}\n`, { mode: 0o600, flag: "wx" });
	syncToDisk(path);
	return path;
}

/** The manifest beside a backup of the metadata database does not fit it, or is none; the message is a sentence. */
export class ManifestRefused extends Error {
	override readonly name = "ManifestRefused";
}

/**
 * Reads the manifest beside a backup of the metadata database.
 * @throws ManifestRefused when there is none, or it is of another file, or of traces that are older
 */
export function readManifest(metadataFile: string): Manifest {
	const path = manifestPath(metadataFile);
	const manifest = parse(path);
	const { metadata, traces } = manifest;
	if (statSync(metadataFile).size !== metadata.bytes)
		throw new ManifestRefused(
			`${path} is of ${metadata.file} with ${metadata.bytes} bytes, and ${basename(metadataFile)} has ${statSync(metadataFile).size}`,
		);
	if (Date.parse(metadata.moment) > Date.parse(traces.moment))
		throw new ManifestRefused(
			`${path} names traces that are older than the rest (${traces.moment}, ${metadata.moment}): what refers to them would lead to nothing`,
		);
	return manifest;
}

function parse(path: string): Manifest {
	const text = readText(path);
	try {
		return Manifest.parse(JSON.parse(text));
	} catch (error) {
		if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
		throw new ManifestRefused(`${path} is not a manifest that spanward backup --traces writes`);
	}
}

function readText(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
		throw new ManifestRefused(`there is no ${path}, which spanward backup --traces writes`);
	}
}
