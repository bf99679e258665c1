import { pinnedPolicy } from "#access/rights/pinned-policy.ts";
import { createExportDecoder } from "#ingest/decode-export.ts";
import { SpanPrices } from "#pricing/price-of.ts";
import { projectName } from "#resources/projects/schemas.ts";
import type { NewSpan } from "#resources/spans/create-schemas.ts";
import { encodeNewSpans } from "#resources/spans/create-spans.ts";
import { listOwnPrices } from "#storage/own-prices.ts";
import { insertProjects } from "#storage/projects/insert-projects.ts";
import { openTraceWriter } from "#storage/traces/open-trace-writer.ts";
import type { NormalizedSpan } from "#storage/traces/span-batch.ts";
import { readStoredTexts } from "#storage/traces/span-meaning.ts";
import { readTable, type SourceRow } from "./source.ts";
import type { Import, ImportReport } from "./target.ts";
import { isObject, jsonOf, microsOf, textOf, timeOf } from "./values.ts";

const COLUMNS = [
	"span_id",
	"parent_id",
	"name",
	"span_kind",
	"start_time",
	"end_time",
	"attributes",
	"events",
	"status_code",
	"status_message",
];
const STEP_SPANS = 200;
const MAX_DESCRIPTION = 10_000;

/** Imports projects by name; existing ones keep their description. */
export async function importProjects({ source, storage, config, report, projects }: Import): Promise<void> {
	const { defaultProjectAccess } = pinnedPolicy(config);
	const isExperiments = new Set<string | null>();
	for await (const rows of readTable(source, "experiments", ["project_name"]))
		for (const row of rows) isExperiments.add(textOf(row["project_name"]));
	for await (const rows of readTable(source, "projects", ["name", "description", "created_at", "updated_at"])) {
		const values = rows.flatMap((row) => {
			const name = projectNameOf(row["name"]);
			if (name === undefined) {
				report.leave("projects whose name is empty, longer than 255 characters or has control characters");
				return [];
			}
			return [
				{
					name,
					description: report.textOf(row["description"], MAX_DESCRIPTION),
					created_at: microsOf(row["created_at"]),
					updated_at: microsOf(row["updated_at"]),
					maker: null,
					origin: isExperiments.has(textOf(row["name"])) ? ("experiment" as const) : null,
				},
			];
		});
		if (values.length === 0) continue;
		const inserted = await storage.db.write((transaction) => insertProjects(transaction, values, defaultProjectAccess));
		report.count("projects", rows.length, inserted.length);
	}
	for (const { id, name } of await storage.db.read.selectFrom("projects").select(["id", "name"]).execute())
		projects.set(name, id);
}

/** Imports spans through the same decoding and writing as ingest, so that all totals are right. */
export async function importSpans({ source, storage, config, report, onProgress }: Import): Promise<void> {
	const prices = new SpanPrices();
	prices.useOwn(await listOwnPrices(storage.db.read));
	const limits = {
		attributesPerSpan: config.SERVICE_OTLP_MAX_ATTRIBUTES,
		attributeBytes: config.SERVICE_OTLP_MAX_ATTRIBUTE_BYTES,
		depth: config.SERVICE_OTLP_MAX_DEPTH,
	};
	const settings = {
		limits,
		maxInflatedBytes: Number.MAX_SAFE_INTEGER,
		defaultProjectName: config.SERVICE_PROJECT_NAME,
		ignoresFailures: !config.SERVICE_ENABLE_ERROR_GROUPS,
	};
	const decode = createExportDecoder(settings, prices);
	await using writer = await openTraceWriter(storage.writerOptions, readStoredTexts);
	const joins = "join traces on traces.id = spans.trace_rowid join projects on projects.id = traces.project_rowid";
	const more = "traces.trace_id as trace_id, projects.name as project_name";
	let done = 0;
	for await (const rows of readTable(source, "spans", COLUMNS, { joins, more, step: STEP_SPANS })) {
		const readable = rows.flatMap((row) => {
			const project = projectNameOf(row["project_name"]);
			const span = project === undefined ? "spans of projects that are not imported" : toNewSpan(row);
			if (project !== undefined && typeof span !== "string") return [{ project, span }];
			report.leave(String(span));
			return [];
		});
		const spans = [...Map.groupBy(readable, ({ project }) => project)].flatMap(([project, members]) =>
			decodeSpans(
				decode,
				project,
				members.map(({ span }) => span),
				report,
			),
		);
		const { written } = await writer.write(spans, []);
		report.count("spans", rows.length, written);
		done += rows.length;
		onProgress("spans", done);
	}
}

/** Decodes all spans; one by one if a span cannot be stored, so that only that one is left out. */
function decodeSpans(
	decode: ReturnType<typeof createExportDecoder>,
	project: string,
	spans: readonly NewSpan[],
	report: ImportReport,
): readonly NormalizedSpan[] {
	const body = encodedSpans(spans);
	const decoded =
		body === undefined
			? undefined
			: decode({ signal: "traces", format: "protobuf", encoding: "identity", body, projectName: project });
	if (decoded !== undefined && "spans" in decoded) {
		for (const { message, count } of decoded.rejections) report.leave(`spans: ${message}`, Math.max(1, count));
		return decoded.spans;
	}
	if (spans.length > 1) return spans.flatMap((span) => decodeSpans(decode, project, [span], report));
	const reason = decoded === undefined ? "they nest too deeply" : (decoded.refused.reason ?? "refused");
	report.leave(`spans of the project ${project}, which cannot be stored (${reason})`);
	return [];
}

/** @returns undefined when attributes nest too deeply */
function encodedSpans(spans: readonly NewSpan[]): Uint8Array<ArrayBuffer> | undefined {
	try {
		return encodeNewSpans(spans);
	} catch (error) {
		if (error instanceof RangeError) return undefined;
		throw error;
	}
}

/** A project name without surrounding space, as in ingest. */
function projectNameOf(value: SourceRow[string] | undefined): string | undefined {
	const parsed = projectName.safeParse(textOf(value)?.trim());
	return parsed.success ? parsed.data : undefined;
}

/** The span, or why it cannot be stored. */
function toNewSpan(row: SourceRow): NewSpan | string {
	const traceId = String(row["trace_id"]);
	const spanId = String(row["span_id"]);
	const parent = textOf(row["parent_id"]);
	if (!/^[0-9a-f]{32}$/i.test(traceId) || !/^[0-9a-f]{16}$/i.test(spanId))
		return "spans whose ids are not those of OpenTelemetry";
	const start = timeOf(row["start_time"]);
	const end = timeOf(row["end_time"]);
	if (start === undefined || end === undefined || start.micros < 0 || end.micros < 0)
		return "spans with times before 1970";
	const attributes = jsonOf(textOf(row["attributes"]) ?? "{}");
	const events = jsonOf(textOf(row["events"]) ?? "[]");
	if (!isObject(attributes) || !Array.isArray(events)) return "spans whose attributes are not JSON, or nest too deeply";
	return {
		name: String(row["name"]),
		context: { trace_id: traceId, span_id: spanId },
		span_kind: String(row["span_kind"]),
		parent_id: parent !== null && /^[0-9a-f]{16}$/i.test(parent) ? parent : null,
		start_time: start,
		end_time: end,
		status_code: String(row["status_code"]),
		status_message: textOf(row["status_message"]),
		attributes,
		events: events.filter(isObject).map((event) => ({
			name: String(event["name"] ?? ""),
			timestamp: timeOf(String(event["timestamp"])) ?? start,
			attributes: isObject(event["attributes"]) ? event["attributes"] : {},
		})),
	};
}
