import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageLinks } from "#http/page-links.ts";
import { orStreamed, streamedText } from "#http/streamed-text.ts";
import { sendText } from "#http/text-answers.ts";
import { getExperiment } from "../queries.ts";
import { GateAnswer, GateQuery } from "./gate-schemas.ts";
import { parseRequirement, type Requirement, RequirementError } from "./parse-requirement.ts";
import { readGate } from "./read-gate.ts";
import { toJunit } from "./to-junit.ts";
import { toMarkdown } from "./to-markdown.ts";

export function gateRoutes(app: App, { config, db }: Context): void {
	app.get(
		"/v1/experiments/:experiment_id/gate",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "getExperimentGate",
				tags: ["experiments"],
				summary: "Whether an experiment meets requirements, for builds that fail where it does not",
				description:
					"A requirement without a value is not met, nor is one that needs a baseline which is not there. The status is 200 whether or not the gate passes; `format=markdown` is for a comment, `format=junit` for the test report of a build.",
				params: z.object({ experiment_id: z.string() }),
				querystring: GateQuery,
				response: {
					200: {
						content: {
							"application/json": { schema: orStreamed(GateAnswer) },
							"text/markdown": { schema: streamedText },
							"application/xml": { schema: streamedText },
						},
					},
				},
			},
		},
		async (request, reply) => {
			const { params, query, actor } = request;
			const experiment = await getExperiment(db.read, actor, params.experiment_id);
			const requirements = query.require.map(readRequirement);
			const { traces, rights } = actor;
			const gate = await readGate({ db: db.read, traces, rights, links: pageLinks(config, request) }, experiment, {
				requirements,
				...{ baseline: query.baseline, format: query.format },
				isBaselineOptional: query.baseline_optional,
				mayBeIncomplete: query.allow_incomplete,
			});
			if (query.format === "markdown") return sendText(reply, toMarkdown(gate), "text/markdown");
			if (query.format === "junit") return sendText(reply, toJunit(gate), "application/xml");
			return gate.answer;
		},
	);
}

/** @throws UserError 400 with the position and suggestions */
function readRequirement(text: string, index: number): Requirement {
	try {
		return parseRequirement(text);
	} catch (error) {
		if (!(error instanceof RequirementError)) throw error;
		const { message, position, length, suggestions } = error;
		const offer = suggestions.length === 0 ? "" : `; did you mean ${suggestions.join(" or ")}?`;
		throw new UserError(
			400,
			"invalid_requirement",
			`Invalid requirement ${text.trim().slice(0, 200)}: ${message} (at character ${position + 1})${offer}`,
			{ details: { requirement: index, position, length, suggestions }, cause: error },
		);
	}
}
