import { mayCall } from "#access/auth/may-call.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import type { CallingRequests } from "#models/calling-requests.ts";
import { EvaluateBody, OneEvaluation } from "./schemas.ts";

/** One evaluator at work on one target, now. What evaluates is loaded with the first request. */
export function evaluateRoutes(app: App, context: Context, callingRequests: CallingRequests): void {
	app.post(
		"/v1/evaluations",
		{
			config: { access: "write", home: "project", body: "large", repeats: "never" },
			schema: {
				operationId: "evaluate",
				tags: ["evaluators"],
				summary: "Have an evaluator judge one span, trace, session, run or given values now",
				description:
					"Waits for the result. Nothing is annotated unless `annotate` says so. When the connection closes, a judge's calls are cancelled.",
				body: EvaluateBody,
				response: { 200: OneEvaluation },
			},
		},
		async (request, reply) => {
			const { actor, body } = request;
			const asker = askerOf(request, reply);
			using _admitted = callingRequests.admit(asker.name);
			const { evaluateNow } = await import("./evaluate-now.ts");
			const isAdmin = mayCall(actor.principal, "admin");
			return { data: await evaluateNow(context, actor, body, { isAdmin, signal: asker.gone }) };
		},
	);
}
