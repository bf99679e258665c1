import type { PromptVersion } from "@spanward/client";
import { expect, test } from "vitest";
import { bodyOf, draftOf, draftOfBody, fieldOf, NEW_VERSION } from "./version-draft.ts";

const version: PromptVersion = {
	id: "UHJvbXB0VmVyc2lvbjox",
	prompt_id: "UHJvbXB0OjE=",
	description: "first",
	model_provider: "ANTHROPIC",
	model_name: "claude",
	template: {
		type: "chat",
		messages: [
			{ role: "system", content: "Be {{tone}}." },
			{ role: "user", content: "{{question}}" },
			{ role: "tool", content: [{ type: "tool_result", tool_call_id: "a", tool_result: 1 }] },
		],
	},
	template_type: "CHAT",
	template_format: "MUSTACHE",
	invocation_parameters: { type: "anthropic", anthropic: { max_tokens: 100 } },
	created_at: "2026-01-01T00:00:00Z",
	user_id: null,
	tags: [],
};

test("a new version starts as a copy of the previous one, without its description", () => {
	const {
		id: _id,
		prompt_id: _prompt,
		created_at: _at,
		user_id: _user,
		tags: _tags,
		description: _text,
		...said
	} = version;
	expect(bodyOf(draftOf(version))).toEqual({ problems: {}, body: said });
	const asAnswered = { role: "system", content: [{ type: "text", text: "Be {{tone}}." }] } as const;
	const answered = { ...version, template: { ...version.template, messages: [asAnswered] } };
	expect(draftOf(answered as unknown as PromptVersion).messages).toEqual([
		{ role: "system", text: "Be {{tone}}.", isParts: false },
	]);
});

test("reports problems by field", () => {
	const draft = {
		...NEW_VERSION,
		parameters: "{",
		tools: "[]",
		messages: [{ role: "user" as const, text: "[", isParts: true }],
	};
	const { body, problems } = bodyOf(draft);
	expect(body).toBeUndefined();
	expect(Object.keys(problems)).toEqual(["model_name", "messages.0", "invocation_parameters", "tools"]);
	expect(problems["tools"]).toBe("Write a JSON object.");
});

test("a version written as JSON can be edited in the form again", () => {
	const { body } = bodyOf({ ...NEW_VERSION, model: "gpt", parameters: '{"temperature": 0}', description: "cooler" });
	expect(draftOfBody(body ?? {})).toEqual({
		...NEW_VERSION,
		model: "gpt",
		parameters: '{\n  "temperature": 0\n}',
		description: "cooler",
	});
	expect(draftOfBody({ model_name: "gpt" })).toBeUndefined();
});

test("an issue of the server belongs to a field", () => {
	expect(fieldOf(["body", "version", "template", "messages", 1, "content"])).toBe("messages.1");
	expect(fieldOf(["body", "version", "invocation_parameters", "anthropic", "max_tokens"])).toBe(
		"invocation_parameters",
	);
	expect(fieldOf(["body", "version"])).toBeUndefined();
});
