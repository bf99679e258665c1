import type { Page } from "playwright-core";
import type { ModelProvider } from "./peers/model-provider.ts";
import type { TestServer } from "./server.ts";
import { send } from "./web/dataset-data.ts";
import { sendSpans } from "./web/otlp-json.ts";

export const MODEL = "llama3.2";
/** Of the README; it finds the first label of a judge true. */
export const JUDGE = "qwen3";
const TRACE = { traceId: "5".repeat(32), spanId: "6".repeat(16) };
const QUESTION = "I was charged twice for order 1042. What happens now?";
export const RIGHT_ANSWER = "We refund the second charge to your card within five days.";
const BETTER = "You answer customers of a shop. Refunds of double charges reach the card within five days.";

/** The story of the README: a model call that went wrong, and Ollama, which the stand-in plays. */
export async function tellStory(server: TestServer, provider: ModelProvider): Promise<void> {
	await provider.control({
		listed: [MODEL, JUDGE],
		models: {
			[MODEL]: {
				when: [
					{
						contains: "within five days",
						answer: { text: "The second charge goes back to your card within five days." },
					},
				],
				answers: [{ text: "Please contact your bank about the second charge." }],
			},
		},
	});
	await sendSpans(server, [
		{
			...{ ...TRACE, name: "answer customer", startMs: 0, endMs: 1_400 },
			attributes: {
				"openinference.span.kind": "LLM",
				"llm.model_name": MODEL,
				"llm.provider": "ollama",
				"llm.input_messages.0.message.role": "system",
				"llm.input_messages.0.message.content": "You answer customers of a shop.",
				"llm.input_messages.1.message.role": "user",
				"llm.input_messages.1.message.content": QUESTION,
				"llm.output_messages.0.message.role": "assistant",
				"llm.output_messages.0.message.content": "Please contact your bank about the second charge.",
				"llm.invocation_parameters": '{"temperature": 0.2}',
			},
		},
	]);
	await send(server, "POST", "/v1/model_connections", {
		...{ name: "Ollama", kind: "openai_compatible", base_url: provider.openai, default_model: MODEL },
	});
}

export const PLAYGROUND = `/playground?span=${TRACE.traceId}:${TRACE.spanId}&project=default`;

/** Turns the recorded call into a template, and runs it beside a column with better instructions. */
export async function runTwoVariants(page: Page): Promise<void> {
	const first = page.getByRole("region", { name: "Column 1" });
	const question = first.getByRole("textbox", { name: "Text of message 2" });
	await question.waitFor();
	await first.getByRole("combobox", { name: "Template format" }).selectOption("Mustache");
	await question.fill("{{question}}");
	await page.getByRole("textbox", { name: "question" }).fill(QUESTION);
	await first.getByRole("button", { name: "Duplicate" }).click();
	const second = page.getByRole("region", { name: "Column 2" });
	await second.getByRole("textbox", { name: "Text of message 1" }).fill(BETTER);
	await page.getByRole("button", { name: "Run", exact: true }).first().click();
	await second.getByRole("article").getByText("back to your card").waitFor();
	await first.getByRole("article").getByText("contact your bank").waitFor();
	await page.getByRole("button", { name: "Run", exact: true }).first().waitFor();
}

/** A dataset of the span, with the right answer in place of the one that was given. */
export async function makeDataset(server: TestServer): Promise<void> {
	const { dataset_id: id } = await send(server, "POST", "/v1/datasets/upload?sync=true", {
		...{ action: "create", name: "double charges", inputs: [] },
	});
	await send(server, "POST", `/v1/datasets/${id}/examples/from_spans`, {
		span_ids: [TRACE.spanId],
		project: "default",
	});
	const { examples } = await send(server, "GET", `/v1/datasets/${id}/examples`);
	await send(server, "PATCH", `/v1/datasets/${id}/examples/${examples[0].id}`, { output: { answer: RIGHT_ANSWER } });
}
