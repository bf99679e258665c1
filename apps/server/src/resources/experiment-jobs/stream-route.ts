import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { LiveViews } from "#http/live-views.ts";
import { streamedText } from "#http/streamed-text.ts";
import { JobStream } from "./job-stream.ts";
import { findJob, getJob, isOfDeleted } from "./jobs.ts";
import { toJobs } from "./to-job.ts";

/** The progress of a job as it comes. */
export function jobStreamRoute(app: App, context: Context): void {
	const { db, now } = context;
	const views = new LiveViews<JobStream>(app, context);

	app.get(
		"/v1/experiment_jobs/:job_id/stream",
		{
			config: { access: "read", home: "content" },
			exposeHeadRoute: false,
			schema: {
				operationId: "streamExperimentJob",
				tags: ["experiment_jobs"],
				summary: "Progress of an experiment job as server-sent events",
				description:
					'Event `job`: the ExperimentJob, at once and after each change, once a second at most; who reads too slowly gets the newest only. Event `heartbeat`, every 15 seconds. Event `end` with `{"reason": "ended" | "access_ended" | "stopping"}`; the stream then closes.',
				params: z.object({ job_id: z.string() }),
				response: { 200: { content: { "text/event-stream": { schema: streamedText } } } },
			},
		},
		async ({ actor, params }, reply) => {
			const { id } = await getJob(db.read, actor, params.job_id);
			const look = async () => {
				const row = await findJob(db.read, id);
				return row === undefined || isOfDeleted(row) ? undefined : (await toJobs(db.read, [row], now()))[0];
			};
			return views.send(reply, actor, (onError) => new JobStream(look, onError));
		},
	);
}
