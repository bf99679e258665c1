import { z } from "zod";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { attachment } from "#http/attachment.ts";
import { escapeFormulasParam } from "#http/csv-line.ts";
import { arrayText, streamOf, whileAllowed } from "#http/stream-array.ts";
import { orStreamed, streamedText } from "#http/streamed-text.ts";
import { csvText } from "./csv.ts";
import { listNames } from "./evaluations.ts";
import { type ExperimentRow, getExperiment } from "./queries.ts";
import { type RunRecord, readRecords, toRecord } from "./records.ts";
import { ExperimentRunRecord } from "./schemas.ts";

const params = z.object({ experiment_id: z.string() });
const tags = ["experiments"];

export function downloadRoutes(app: App, { db }: Context): void {
	const readWhileAllowed = (experiment: ExperimentRow, actor: Actor) =>
		whileAllowed(readRecords(db.read, actor.traces, experiment), () => actor.assertStillAllowed());

	app.get(
		"/v1/experiments/:experiment_id/json",
		{
			config: { access: "read", home: "content" },
			exposeHeadRoute: false,
			schema: {
				operationId: "getExperimentJSON",
				tags,
				summary: "Download all runs with evaluations as JSON",
				params,
				response: { 200: orStreamed(z.array(ExperimentRunRecord)) },
			},
		},
		async ({ params, actor }, reply) => {
			const experiment = await getExperiment(db.read, actor, params.experiment_id);
			return reply
				.type("application/json; charset=utf-8")
				.header("content-disposition", attachment(`${experiment.name}.json`))
				.send(streamOf(arrayText(mapped(readWhileAllowed(experiment, actor)))));
		},
	);

	app.get(
		"/v1/experiments/:experiment_id/csv",
		{
			config: { access: "read", home: "content" },
			exposeHeadRoute: false,
			schema: {
				operationId: "getExperimentCSV",
				tags,
				summary: "Download all runs with evaluations as CSV",
				params,
				querystring: z.object({ escape_formulas: escapeFormulasParam }),
				response: { 200: { content: { "text/csv": { schema: streamedText } } } },
			},
		},
		async ({ params, query, actor }, reply) => {
			const experiment = await getExperiment(db.read, actor, params.experiment_id);
			const escaping = { escapeFormulas: query.escape_formulas };
			const names = await listNames(db.read, experiment.id);
			return reply
				.type("text/csv; charset=utf-8")
				.header("content-disposition", attachment(`${experiment.name}.csv`))
				.send(streamOf(csvText(names, readWhileAllowed(experiment, actor), escaping)));
		},
	);
}

async function* mapped(chunks: AsyncIterable<readonly RunRecord[]>) {
	for await (const chunk of chunks) yield chunk.map(toRecord);
}
