import type { z } from "zod";
import { type Principal, userOf } from "#http/principal.ts";
import { toDefinitionText } from "./definition.ts";
import type { PromptVersionData } from "./schemas.ts";

/** The row of a sent version, without its prompt's id. */
export function toNewVersion(version: z.output<typeof PromptVersionData>, principal: Principal, now: number) {
	return {
		description: version.description ?? null,
		metadata: version.metadata ?? "{}",
		model_provider: version.model_provider,
		model_name: version.model_name,
		definition: toDefinitionText(version),
		user_id: userOf(principal)?.id ?? null,
		created_at: now,
	};
}
