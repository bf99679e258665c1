import type { PromptVersion, PromptVersionDataInput, Spanward } from "@spanward/client";

/** A version of a prompt by its tag, its id, or `latest`. */
export async function findVersion({ prompts }: Spanward, prompt: string, version: string): Promise<PromptVersion> {
	if (version === "latest") return await prompts.get(prompt);
	if (Buffer.from(version, "base64").toString().startsWith("PromptVersion:")) return await prompts.getVersion(version);
	return await prompts.get(prompt, { tag: version });
}

/** What a version says, without what the server knows of it. */
export function contentOf({
	id: _id,
	prompt_id: _promptId,
	created_at: _createdAt,
	user_id: _userId,
	tags: _tags,
	...content
}: PromptVersion): PromptVersionDataInput {
	return content as PromptVersionDataInput;
}
