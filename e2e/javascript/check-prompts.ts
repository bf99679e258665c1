import { expect, test, vi } from "vitest";
import type { ClientUnderTest } from "./client-under-test.ts";

export function checkPrompts(under: () => ClientUnderTest): void {
	function version(modelName: string) {
		return under().prompts.promptVersion({
			modelProvider: "OPENAI",
			modelName,
			template: [{ role: "user", content: "Why is {{thing}} so?" }],
			invocationParameters: { temperature: 0.5 },
		});
	}

	test("a prompt has versions, tags and a form for the provider's own client", async () => {
		const { client, prompts } = under();
		const name = "js-prompt";
		const first = await prompts.createPrompt({ client, name, description: "asks", version: version("gpt-4o-mini") });
		const second = await prompts.createPrompt({ client, name, version: version("gpt-4o") });
		await client.POST("/v1/prompt_versions/{prompt_version_id}/tags", {
			params: { path: { prompt_version_id: first.id } },
			body: { name: "production" },
		});
		expect(await prompts.getPrompt({ client, prompt: { versionId: first.id } })).toMatchObject({ id: first.id });
		expect(await prompts.getPrompt({ client, prompt: { name } })).toMatchObject({ id: second.id });
		const tagged = await prompts.getPrompt({ client, prompt: { name, tag: "production" } });
		expect(tagged?.id).toBe(first.id);
		const complaints = vi.spyOn(console, "error").mockImplementation(() => {});
		expect(await prompts.getPrompt({ client, prompt: { name: "js-nothing" } })).toBeNull();
		complaints.mockRestore();
		expect((await prompts.listPrompts({ client })).map((prompt) => prompt.name)).toContain(name);
		if (tagged === null) throw new Error("the tag names no version");
		const request = prompts.toSDK({ sdk: "openai", prompt: tagged, variables: { thing: "it" } });
		expect(request).toMatchObject({ model: "gpt-4o-mini", temperature: 0.5, messages: [{ role: "user" }] });
		// As text or as parts, by the client's version.
		expect(JSON.stringify(request?.messages)).toContain('"Why is it so?"');
	});

	test("versions of every provider come back as they were", async () => {
		const { client, prompts } = under();
		const template = [{ role: "user" as const, content: "hi" }];
		const invocationParameters = { temperature: 0.5 };
		const providers = ["AZURE_OPENAI", "DEEPSEEK", "GOOGLE", "OLLAMA", "OPENAI", "XAI"] as const;
		const versions = [
			...providers.map((modelProvider) =>
				prompts.promptVersion({ modelProvider, modelName: "m", template, invocationParameters }),
			),
			prompts.promptVersion({
				modelProvider: "ANTHROPIC",
				modelName: "m",
				template,
				invocationParameters: { max_tokens: 10, ...invocationParameters },
			}),
			prompts.promptVersion({ modelProvider: "AWS", modelName: "m", template, invocationParameters }),
		];
		for (const each of versions) {
			const name = `js-${each.model_provider.toLowerCase().replace("_", "-")}`;
			const { id } = await prompts.createPrompt({ client, name, version: each });
			const read = await prompts.getPrompt({ client, prompt: { versionId: id } });
			expect(read?.model_provider).toBe(each.model_provider);
			// Those that take the parameters of OpenAI have them under its name.
			const { type, ...parameters } = read?.invocation_parameters ?? { type: "none" };
			expect(parameters, type).toMatchObject({ [type]: invocationParameters });
		}
	});
}
