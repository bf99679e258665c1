import { settingsTexts } from "../texts/settings-en.ts";
import { config } from "./config.ts";

/** The name of a provider; its id if it is not configured (any more), and a general word if the id is unknown. */
export function providerName(id: string | undefined): string {
	if (id !== undefined) return config.auth.providers.find((provider) => provider.id === id)?.name ?? id;
	const [only, ...others] = config.auth.providers;
	return only !== undefined && others.length === 0 ? only.name : settingsTexts.methodShort.OAUTH2;
}
