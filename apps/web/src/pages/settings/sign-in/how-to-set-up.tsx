import { type ReactNode, useId } from "react";
import { config } from "../../../lib/config.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { CodeBlock } from "../../../ui/code-block.tsx";

const TEXTS = settingsTexts.signIn;

const PROVIDER = `SERVICE_ROOT_URL=${config.origin}
SERVICE_OAUTH2_KEYCLOAK_CLIENT_ID=
SERVICE_OAUTH2_KEYCLOAK_CLIENT_SECRET=
SERVICE_OAUTH2_KEYCLOAK_OIDC_CONFIG_URL=https://…/.well-known/openid-configuration`;

const DIRECTORY = `SERVICE_LDAP_HOST=ldap.example.com
SERVICE_LDAP_USER_SEARCH_BASE_DNS=["ou=people,dc=example,dc=com"]
SERVICE_LDAP_ATTR_EMAIL=mail
SERVICE_LDAP_GROUP_ROLE_MAPPINGS=[{"group_dn":"*","role":"VIEWER"}]`;

/** Instructions for setting up a way to sign in, where only passwords are enabled. */
export function HowToSetUp(): ReactNode {
	const heading = useId();
	return (
		<section aria-labelledby={heading} className="flex flex-col gap-3">
			<h2 id={heading} className="font-semibold text-lg">
				{TEXTS.none}
			</h2>
			<p className="max-w-prose text-muted">{TEXTS.noneText}</p>
			<Example title={TEXTS.exampleProvider} text={PROVIDER}>
				{TEXTS.exampleRedirect} <code className="font-mono">{`${config.origin}/oauth2/keycloak/tokens`}</code>
			</Example>
			<Example title={TEXTS.exampleLdap} text={DIRECTORY} />
			<p className="text-muted">
				{TEXTS.docs}{" "}
				<a href={`${config.origin}/docs/sign-in/README`} className="font-mono text-accent hover:underline">
					docs/sign-in/
				</a>
			</p>
		</section>
	);
}

function Example({ title, text, children }: { title: string; text: string; children?: ReactNode }): ReactNode {
	return (
		<div className="flex flex-col gap-1">
			<h3 className="font-medium">{title}</h3>
			<CodeBlock text={text} label={title} className="bg-sunken" />
			{children && <p className="text-muted [overflow-wrap:anywhere]">{children}</p>}
		</div>
	);
}
