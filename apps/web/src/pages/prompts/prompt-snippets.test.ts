import { expect, test } from "vitest";
import { promptSnippets } from "./prompt-snippets.ts";

const shared = { origin: "http://localhost:6006", prompt: "greeting", needsKey: true, variables: ["question"] };

test("a version is fetched by its id, a tag by the prompt's name", () => {
	const version = promptSnippets({ ...shared, fetchBy: { by: "version", id: "UHJvbXB0VmVyc2lvbjox==" } });
	expect(version.curl.code).toContain('"$SERVICE_COLLECTOR_ENDPOINT/v1/prompt_versions/UHJvbXB0VmVyc2lvbjox%3D%3D"');
	const tag = promptSnippets({ ...shared, fetchBy: { by: "tag", tag: "production" } });
	expect(tag.curl.code).toContain("/v1/prompts/greeting/tags/production");
	expect(tag.python.code).toContain('get(prompt_identifier="greeting", tag="production")');
	expect(tag.typescript.code).toContain('{ name: "greeting", tag: "production" }');
	expect(tag.typescript.code).toContain('variables: {\n    "question": "…",\n  },');
});

test("no key is mentioned where none is needed", () => {
	const all = promptSnippets({ ...shared, needsKey: false, fetchBy: { by: "latest" } });
	for (const { environment, code } of Object.values(all)) expect(environment + code).not.toContain("API_KEY");
});
