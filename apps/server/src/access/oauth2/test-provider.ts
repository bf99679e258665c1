import { compileExpression } from "#base/jmespath/expression.ts";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";

/** A provider with the defaults of the settings; `id` also makes its prefix. */
export function testProvider(settings: Partial<OAuth2Provider> = {}): OAuth2Provider {
	const { id = "acme" } = settings;
	return {
		id,
		prefix: `SERVICE_OAUTH2_${id.toUpperCase()}_`,
		displayName: "Acme",
		clientId: `client-of-${id}`,
		clientSecret: null,
		configUrl: "https://acme.example/.well-known/openid-configuration",
		authMethod: "client_secret_basic",
		assertionFile: null,
		usePkce: false,
		scopes: ["openid", "email", "profile"],
		allowSignUp: true,
		autoLogin: false,
		emailPath: compileExpression("email"),
		groupsPath: null,
		allowedGroups: new Set(),
		rolePath: null,
		roleMapping: null,
		roleStrict: false,
		roleResync: true,
		trustEmail: false,
		ca: undefined,
		allowIssuerMismatch: false,
		...settings,
	};
}
