import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { attachment } from "#http/attachment.ts";
import { csvLine } from "#http/csv-line.ts";
import { streamOf, whileAllowed } from "#http/stream-array.ts";
import { streamedText } from "#http/streamed-text.ts";
import { getQueue } from "../queues.ts";
import { queueParams } from "../schemas.ts";
import { type ExportRow, readExport } from "./export-rows.ts";
import { ExportQuery } from "./schemas.ts";

const COLUMNS = [
	...(["item_id", "item_state", "target_kind", "target_id", "project_id"] as const),
	...(["reviewer_id", "reviewer", "source", "annotation_config_id", "question"] as const),
	...(["label", "score", "explanation", "seconds", "answered_at"] as const),
] satisfies readonly (keyof ExportRow)[];

const TYPES = { csv: "text/csv; charset=utf-8", jsonl: "application/x-ndjson; charset=utf-8" } as const;

/** The answers of a queue as a file. */
export function reviewExportRoutes(app: App, { db, now }: Context): void {
	app.get(
		"/v1/review_queues/:queue_id/export",
		{
			config: { access: "read", home: "catalogue" },
			exposeHeadRoute: false,
			schema: {
				operationId: "exportReviews",
				tags: ["review"],
				summary: "Download the answers of a review queue, one row or JSON object an answer",
				description:
					"What the caller may see, as in the list of items; also of items whose target was deleted. A stream. If it cannot be completed, the connection is closed before the end of the body.",
				params: queueParams,
				querystring: ExportQuery,
				response: {
					200: {
						content: { "text/csv": { schema: streamedText }, "application/x-ndjson": { schema: streamedText } },
					},
				},
			},
		},
		async ({ actor, params, query }, reply) => {
			const { format, escape_formulas: escapeFormulas } = query;
			const queue = await getQueue(db.read, params.queue_id);
			const chunks = whileAllowed(readExport(db.read, actor, queue, now), () => actor.assertSeesAsBefore());
			const texts = format === "csv" ? csvOf(chunks, { escapeFormulas }) : linesOf(chunks);
			return reply
				.type(TYPES[format])
				.header("content-disposition", attachment(`${queue.name}.${format}`))
				.send(streamOf(texts));
		},
	);
}

async function* csvOf(
	chunks: AsyncIterable<readonly ExportRow[]>,
	options: { readonly escapeFormulas: boolean },
): AsyncGenerator<string> {
	yield csvLine(COLUMNS, options);
	for await (const rows of chunks) {
		yield rows
			.map((row) =>
				csvLine(
					COLUMNS.map((column) => row[column]),
					options,
				),
			)
			.join("");
	}
}

async function* linesOf(chunks: AsyncIterable<readonly ExportRow[]>): AsyncGenerator<string> {
	for await (const rows of chunks) yield rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}
