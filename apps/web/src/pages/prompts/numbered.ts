import type { PromptVersion } from "@spanward/client";

/** A version with its number: the first one is 1. */
export interface NumberedVersion extends PromptVersion {
	readonly number: number;
}

/** @param versions all versions of a prompt, newest first */
export function numbered(versions: readonly PromptVersion[]): NumberedVersion[] {
	return versions.map((version, index) => ({ ...version, number: versions.length - index }));
}

/** Which version each tag of the prompt is on. */
export function versionByTag(versions: readonly NumberedVersion[]): ReadonlyMap<string, NumberedVersion> {
	return new Map(versions.flatMap((version) => version.tags.map((tag) => [tag, version] as const)));
}
