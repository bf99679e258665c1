import { type OtlpSpan, type Spanward, toOtlpJson } from "@spanward/client";
import { CommandFailure, EXIT, usageFailure } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { formatBytes } from "../quantities.ts";
import { type Selection, selectionOf } from "../span-query.ts";
import { toJson } from "../terminal.ts";
import { assertAbsent, ResumableFile } from "./resumable-file.ts";

const FORMATS = ["ndjson", "otlp", "arrow"] as const;
const PAGE = 500;

/** One page of spans as lines. */
interface LinesPage {
	readonly lines: readonly string[];
	readonly next: string | null;
}

/** `spanward traces export`: all spans of the traces that match, into a file or to standard output. */
export async function exportTraces(invocation: Invocation): Promise<undefined> {
	const format = invocation.choice("format", FORMATS) ?? "ndjson";
	const output = invocation.value("output");
	const spanward = await invocation.connect();
	if (format === "arrow") return await exportArrow(invocation, spanward, output);
	const selection = selectionOf(invocation);
	const pagesOf = (selected: Selection) => (cursor: string | undefined) =>
		linesPage(invocation.project, spanward, { ...{ format, cursor }, selection: selected });
	if (output === undefined) {
		const pages = pagesOf(selection);
		for (let cursor: string | undefined; ; ) {
			const { lines, next } = await pages(cursor);
			for (const line of lines) await invocation.terminal.write(`${line}\n`);
			if (next === null) return undefined;
			cursor = next;
		}
	}
	const [since, until] = [invocation.value("since"), invocation.value("until")];
	const request = {
		url: spanward.baseUrl,
		project: invocation.project,
		format,
		filter: selection.filter,
		since,
		until,
	};
	// With --since 2h the time is another one each time: what was begun goes on with that of its beginning.
	await using file = await ResumableFile.open(output, request, selection);
	const pages = pagesOf(file.selection);
	if (file.items > 0) invocation.terminal.note(`Going on after ${file.items.toLocaleString("en")} spans.`);
	try {
		for (let cursor = file.cursor; ; ) {
			const { lines, next } = await pages(cursor);
			await file.append(lines, next);
			invocation.terminal.progress(`${file.items.toLocaleString("en")} spans, ${formatBytes(file.bytes)}`);
			if (next === null) break;
			cursor = next;
		}
	} catch (error) {
		if (!invocation.signal.aborted) throw error;
		const kept = `${file.items.toLocaleString("en")} spans are in ${file.part}`;
		throw new CommandFailure(EXIT.interrupted, `Interrupted: ${kept}. The same command again goes on from there.`);
	}
	await file.complete();
	invocation.terminal.note(`Wrote ${file.items.toLocaleString("en")} spans to ${output} (${formatBytes(file.bytes)}).`);
	return undefined;
}

interface Asked {
	readonly format: "ndjson" | "otlp";
	readonly selection: Selection;
	readonly cursor: string | undefined;
}

async function linesPage(
	projectName: string,
	spanward: Spanward,
	{ format, selection, cursor }: Asked,
): Promise<LinesPage> {
	const query = new URLSearchParams({
		...selection,
		limit: String(PAGE),
		...(cursor !== undefined && { cursor }),
		// Those that come meanwhile are behind those that were read.
		...(format === "ndjson" && { sort: "id", order: "asc" }),
	});
	const project = encodeURIComponent(projectName);
	const path = format === "ndjson" ? "spans" : "spans/otlpv1";
	const response = await spanward.api.fetch(`/v1/projects/${project}/${path}?${query}`, {
		headers: { accept: "application/json, application/problem+json" },
	});
	const text = await response.text();
	const { data, next_cursor: next } = parsePage(text);
	return { lines: data.map((item) => toJson(format === "otlp" ? toOtlpJson(item as OtlpSpan) : item)), next };
}

/** Integers that a double does not hold are kept as the text of their digits, as OTLP/JSON has all of 64 bits. */
function parsePage(text: string): { data: unknown[]; next_cursor: string | null } {
	return JSON.parse(text, function (this: unknown, _key: string, value: unknown, context?: { source?: string }) {
		const source = context?.source;
		if (typeof value !== "number" || Number.isSafeInteger(value) || source === undefined) return value;
		return /^-?\d+$/.test(source) ? source : value;
	} as (this: unknown, key: string, value: unknown) => unknown);
}

/** An Arrow stream has one schema and no pages: it is written whole, or not at all. */
async function exportArrow(invocation: Invocation, spanward: Spanward, output: string | undefined): Promise<undefined> {
	const { terminal, io } = invocation;
	if (output === undefined && io.stdout.isTTY)
		throw usageFailure("Arrow is nothing for a terminal: give --output <file>, or write it to a program.");
	if (output !== undefined) await assertAbsent(output);
	const query = new URLSearchParams({ ...selectionOf(invocation) });
	const project = encodeURIComponent(invocation.project);
	const response = await spanward.api.fetch(`/v1/projects/${project}/spans.arrow?${query}`);
	if (output === undefined) {
		for await (const chunk of response.body ?? []) await terminal.write(chunk);
		return undefined;
	}
	const { createWriteStream } = await import("node:fs");
	const { rename, rm } = await import("node:fs/promises");
	const { pipeline } = await import("node:stream/promises");
	// Not that of an export that goes on, which may be there.
	const part = `${output}.${process.pid}.part`;
	try {
		const chunks = response.body ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
		await pipeline(chunks, createWriteStream(part, { flags: "wx", mode: 0o600 }), { signal: invocation.signal });
	} catch (error) {
		await rm(part, { force: true });
		if (!invocation.signal.aborted) throw error;
		throw new CommandFailure(EXIT.interrupted, "Interrupted: nothing was written. Arrow files are written whole.");
	}
	await rename(part, output);
	terminal.note(`Wrote ${output}.`);
	return undefined;
}
