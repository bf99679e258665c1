import { z } from "zod";
import { notFound } from "#base/errors.ts";
import { BUILT_INS, parametersSchema } from "#evaluation/built-in/built-ins.ts";
import { findTemplate, listTemplates, type EvaluatorTemplate as Template } from "#evaluation/templates/templates.ts";
import type { App } from "#http/app-type.ts";
import { BuiltInEvaluator, EvaluatorTemplate, ListedEvaluatorTemplate } from "./schemas.ts";

const tags = ["evaluators"];

/** What evaluators can be made from. */
export function catalogueRoutes(app: App): void {
	app.get(
		"/v1/builtin_evaluators",
		{
			config: { access: "read", home: "none" },
			schema: {
				operationId: "listBuiltInEvaluators",
				tags,
				summary: "The built-in evaluators with the JSON Schema of their parameters",
				response: { 200: z.object({ data: z.array(BuiltInEvaluator) }) },
			},
		},
		async () => ({
			data: BUILT_INS.map((each) => ({
				...{ key: each.key, title: each.title, description: each.description, output: each.output },
				inputs: each.inputs.map((input) => ({ ...input })),
				parameters: parametersSchema(each),
			})),
		}),
	);

	app.get(
		"/v1/evaluator_templates",
		{
			config: { access: "read", home: "none" },
			schema: {
				operationId: "listEvaluatorTemplates",
				tags,
				summary: "The judges that come with the service, to begin with",
				response: { 200: z.object({ data: z.array(ListedEvaluatorTemplate) }) },
			},
		},
		async () => ({ data: listTemplates().map(toListed) }),
	);

	app.get(
		"/v1/evaluator_templates/:template_key",
		{
			config: { access: "read", home: "none" },
			schema: {
				operationId: "getEvaluatorTemplate",
				tags,
				summary: "A template with its messages and labelled examples",
				params: z.object({ template_key: z.string() }),
				response: { 200: z.object({ data: EvaluatorTemplate }) },
			},
		},
		async ({ params }) => {
			const template = findTemplate(params.template_key);
			if (template === undefined) throw notFound("evaluator_template_not_found", "There is no template with this key");
			const { version, messages, examples } = template;
			return { data: { ...toListed(template), version, messages, examples } };
		},
	);
}

function toListed({ id, key, title, description, known_weaknesses, targets, version }: Template) {
	const outputs = version.outputs.map(({ name }) => name);
	return { id, key, title, description, known_weaknesses, targets: [...targets], outputs };
}
