import type { FastifyReply } from "fastify";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { escapeFormulasParam } from "#http/csv-line.ts";
import { textParam } from "#http/query-params.ts";
import { streamOf } from "#http/stream-array.ts";
import { streamedText } from "#http/streamed-text.ts";
import { CsvColumns } from "./csv-text.ts";
import type { DownloadedExample } from "./downloaded-example.ts";
import { exampleChunks, toExample, withSeenSources } from "./examples.ts";
import { toEvaluation, toFineTuning } from "./openai-lines.ts";
import { getDataset, getVersion } from "./queries.ts";
import { splitsOfExamples } from "./splits/members.ts";

const params = z.object({ id: z.string() });
const querystring = z.object({ version_id: textParam.optional().describe("The newest version if absent.") });

/** Downloads of a version as a file. */
export function downloadRoutes(app: App, context: Context): void {
	app.get(
		"/v1/datasets/:id/csv",
		{
			config: { access: "read", home: "content" },
			exposeHeadRoute: false,
			schema: {
				operationId: "getDatasetCsv",
				tags: ["datasets"],
				summary: "Download the examples as CSV",
				params,
				querystring: querystring.extend({ escape_formulas: escapeFormulasParam }),
				response: { 200: { content: { "text/csv": { schema: streamedText } } } },
			},
		},
		async ({ params, query, actor }, reply) => {
			const { name, chunks } = await openVersion(context, actor, params.id, query.version_id);
			const columns = new CsvColumns({ escapeFormulas: query.escape_formulas });
			for await (const examples of chunks()) columns.collect(examples);
			return sendFile(reply, `${name}.csv`, "text/csv; charset=utf-8", columns.lines(chunks()));
		},
	);

	for (const { path, operationId, summary, toLine } of JSON_LINES) {
		app.get(
			`/v1/datasets/:id/${path}`,
			{
				config: { access: "read", home: "content" },
				exposeHeadRoute: false,
				schema: {
					operationId,
					tags: ["datasets"],
					summary,
					params,
					querystring,
					response: { 200: { content: { "text/plain": { schema: streamedText } } } },
				},
			},
			async ({ params, query, actor }, reply) => {
				const { name, chunks } = await openVersion(context, actor, params.id, query.version_id);
				return sendFile(reply, `${name}.jsonl`, "text/plain; charset=utf-8", jsonLines(chunks(), toLine));
			},
		);
	}
}

const JSON_LINES = [
	{
		path: "jsonl",
		operationId: "getDatasetJSONL",
		summary: "Download the examples, one JSON object a line",
		toLine: ({ id, node_id, input, output, metadata, splits }: DownloadedExample): object => ({
			id,
			node_id,
			input,
			output,
			metadata,
			splits,
		}),
	},
	{
		path: "jsonl/openai_ft",
		operationId: "getDatasetJSONLOpenAIFineTuning",
		summary: "Download the examples in OpenAI's fine-tuning format",
		toLine: toFineTuning,
	},
	{
		path: "jsonl/openai_evals",
		operationId: "getDatasetJSONLOpenAIEvals",
		summary: "Download the examples in OpenAI's evals format",
		toLine: toEvaluation,
	},
] as const;

interface OpenVersion {
	/** Name of the dataset. */
	readonly name: string;
	/** All examples, in chunks; each call starts at the first one. */
	chunks(): AsyncGenerator<DownloadedExample[]>;
}

async function openVersion(
	{ db }: Context,
	actor: Actor,
	id: string,
	versionId: string | undefined,
): Promise<OpenVersion> {
	try {
		const { id: datasetId, name } = await getDataset(db.read, actor, id);
		const version = await getVersion(db.read, datasetId, versionId);
		return {
			name,
			async *chunks() {
				const mayContinue = () => actor.assertStillAllowed();
				for await (const rows of exampleChunks(db.read, { datasetId, versionId: version.id }, mayContinue)) {
					const namesOf = await splitsOfExamples(db.read, version.id, rows);
					yield (await withSeenSources(actor, rows)).map((row) => ({ ...toExample(row), splits: namesOf(row.id) }));
				}
			},
		};
	} catch (error) {
		// Released clients expect 422 here, not 404.
		if (error instanceof UserError && error.status === 404) throw new UserError(422, error.code, error.message);
		throw error;
	}
}

async function* jsonLines(
	chunks: AsyncIterable<readonly DownloadedExample[]>,
	toLine: (example: DownloadedExample) => object,
): AsyncGenerator<string> {
	for await (const examples of chunks) {
		yield examples.map((example) => `${JSON.stringify(toLine(example))}\n`).join("");
	}
}

/** RFC 8187 */
function sendFile(reply: FastifyReply, name: string, type: string, texts: AsyncIterable<string>): FastifyReply {
	const encoded = encodeURIComponent(name).replace(
		/['()*]/g,
		(character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
	);
	return reply
		.header("content-disposition", `attachment; filename*=UTF-8''${encoded}`)
		.type(type)
		.send(streamOf(texts));
}
