import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { objectFromJsonText } from "#http/json-values.ts";
import { formatTime } from "#http/wire-times.ts";
import { MODEL_PROVIDERS, type ModelProvider } from "#models/definition-schemas.ts";
import { toHomeOfAnswer } from "../projects/homes.ts";
import { fromDefinitionText } from "./definition.ts";
import type { PromptRow } from "./queries.ts";
import type { Prompt, PromptVersion, PromptVersionTag } from "./schemas.ts";
import type { TagRow } from "./tags.ts";
import type { VersionRow } from "./versions.ts";

type WirePrompt = z.output<typeof Prompt>;

/** The wire form of a prompt. */
export function toPrompt(row: PromptRow): WirePrompt {
	return {
		id: encodeGlobalId("Prompt", row.id),
		name: row.name,
		description: row.description,
		source_prompt_id: row.seen_source_id === null ? null : encodeGlobalId("Prompt", row.seen_source_id),
		metadata: objectFromJsonText(row.metadata),
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
		...toHomeOfAnswer(row.project_id),
	};
}

/** As {@link toPrompt}, without members that are null, as the answer to a change has it. */
export function toPromptWithoutNulls(row: PromptRow): WirePrompt {
	const { description, source_prompt_id, ...prompt } = toPrompt(row);
	return {
		...prompt,
		...(description === null ? {} : { description }),
		...(source_prompt_id === null ? {} : { source_prompt_id }),
	};
}

/** The wire form of a version. */
export function toVersion(row: VersionRow): z.output<typeof PromptVersion> {
	const metadata = objectFromJsonText(row.metadata);
	return {
		id: encodeGlobalId("PromptVersion", row.id),
		description: row.description ?? "",
		...(Object.keys(metadata).length === 0 ? {} : { metadata }),
		model_provider: toProvider(row.model_provider),
		model_name: row.model_name,
		...fromDefinitionText(row.definition),
		prompt_id: encodeGlobalId("Prompt", row.prompt_id),
		created_at: formatTime(row.created_at),
		user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
		tags: JSON.parse(row.tags) as string[],
	};
}

function toProvider(text: string): ModelProvider {
	const provider = MODEL_PROVIDERS.find((name) => name === text);
	if (provider === undefined) throw new Error(`a stored version has the unknown provider ${text}`);
	return provider;
}

/** The wire form of a tag. */
export function toTag({ id, name, description }: TagRow): z.output<typeof PromptVersionTag> {
	return { id: encodeGlobalId("PromptVersionTag", id), name, ...(description === null ? {} : { description }) };
}
