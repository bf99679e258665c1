import type { ConnectionDefinition } from "#base/model-connections/definition.ts";
import { CONNECTION_PRESETS, defaultBaseUrl } from "../presets.ts";

type Target = Pick<ConnectionDefinition, "kind" | "base_url" | "settings">;

/** Where requests go; undefined where neither the connection nor its kind has an address. */
export function addressOf({ kind, base_url: given, settings }: Target): string | undefined {
	return given ?? defaultBaseUrl(kind, settings);
}

/** `api.openai.com`, with a port that is not the scheme's; empty where there is no address. */
export function hostOf(target: Target): string {
	const address = addressOf(target);
	return address === undefined ? "" : new URL(address).host;
}

/**
 * Whether credentials that were entered for one would go to somebody else, or be sent in another way, with the other:
 * another kind, scheme, host or port, or version of the API.
 */
export function isOtherTarget(before: Target, after: Target): boolean {
	return textOf(before) !== textOf(after);
}

function textOf(target: Target): string {
	const address = addressOf(target);
	const origin = address === undefined ? null : new URL(address).origin;
	return JSON.stringify([target.kind, origin, target.settings.api_version ?? null]);
}

/**
 * Whether the address is that of a provider which is known here, rather than one that somebody entered: only there a
 * stored secret may be sent by its name.
 */
export function isOfPreset(target: Target): boolean {
	const { kind, base_url: given, settings } = target;
	if (given === null) return defaultBaseUrl(kind, settings) !== undefined;
	if (given === defaultBaseUrl(kind, settings)) return true;
	return CONNECTION_PRESETS.some(
		(preset) => preset.kind === kind && preset.baseUrl === given && preset.baseUrl.startsWith("https:"),
	);
}
