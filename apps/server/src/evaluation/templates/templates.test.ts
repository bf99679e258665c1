import { describe, expect, it } from "vitest";
import { EvaluatorVersionBody } from "../evaluator-version.ts";
import { judge } from "../judge/judge.ts";
import { mapInputs } from "../mapping.ts";
import { findTemplate, listTemplates, versionOfTemplate } from "./templates.ts";

describe.each(listTemplates().map((template) => [template.key, template] as const))(
	"E40: the template %s",
	(key, template) => {
		const version = EvaluatorVersionBody.parse(versionOfTemplate(template, { connectionId: "c", model: "m" }));
		const [output] = version.outputs;

		it("is a whole evaluator with one output, weaknesses that are said, and targets", () => {
			expect([version.kind, version.outputs.length]).toEqual(["LLM", 1]);
			expect(template.known_weaknesses.length).toBeGreaterThan(0);
			expect(template.targets.length).toBeGreaterThan(0);
			for (const target of template.targets) {
				expect(Object.keys(template.version.mapping[target] ?? {})).toEqual(version.inputs.map(({ name }) => name));
			}
			expect(findTemplate(key)?.id).toBe(`${key}:1`);
		});

		it("has 12 labelled examples with all inputs, and one of each label", () => {
			const labels = output?.type === "categorical" ? output.labels.map(({ label }) => label) : [];
			expect(template.examples).toHaveLength(12);
			expect(new Set(template.examples.map(({ label }) => label))).toEqual(new Set(labels));
			const texts = template.examples.map(({ inputs }) => JSON.stringify(inputs));
			expect(new Set(texts).size).toBe(12);
			for (const { inputs } of template.examples) {
				const mapping = Object.fromEntries(version.inputs.map(({ name }) => [name, { path: name }]));
				expect(mapInputs(version.inputs, mapping, inputs).missing).toBeUndefined();
			}
		});

		it("gives each label its score", async () => {
			if (version.kind !== "LLM" || output?.type !== "categorical") throw new Error("it is a judge with labels");
			for (const { label, score } of output.labels) {
				const text = JSON.stringify({ explanation: "because", label });
				const answer = { text, reasoning: "", tool_calls: [], finish_reason: "stop", model: "m", warnings: [] };
				const variant = { connectionId: 1, model: "m", messages: template.messages, format: "MUSTACHE" as const };
				const { outputs } = await judge(version, variant, template.examples[0]?.inputs ?? {}, {
					ask: async () => ({
						...{ answer, costUsd: undefined, latencyMs: 1, firstTokenMs: undefined },
						...{ traceId: "", spanId: "", warnings: [], attempts: 1 },
					}),
					lessons: { find: async () => new Set(), learn: async () => {}, forget: async () => {} },
				});
				expect(outputs[output.name]).toEqual({ label, score, explanation: "because", error: null });
			}
		});
	},
);
