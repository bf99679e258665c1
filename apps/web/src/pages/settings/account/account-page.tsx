import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import type { Me } from "../../../auth/me.ts";
import { api } from "../../../lib/api.ts";
import { config } from "../../../lib/config.ts";
import { meQuery, useMe } from "../../../lib/me.ts";
import { providerName } from "../../../lib/provider-name.ts";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { errorText } from "../../../ui/error-state.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { SectionPage } from "../section-page.tsx";
import { ChangePassword } from "./change-password.tsx";

const TEXTS = settingsTexts.account;

export function AccountPage(): ReactNode {
	const me = useMe();
	return (
		<SectionPage title={texts.settings.account} intro={TEXTS.intro} narrow>
			{me && (
				<>
					<Facts me={me} />
					<Username me={me} />
					<section aria-label={TEXTS.password} className="flex flex-col gap-3 border-line border-t pt-4">
						<h2 className="font-semibold text-lg">{TEXTS.password}</h2>
						<Password me={me} />
					</section>
				</>
			)}
		</SectionPage>
	);
}

function Facts({ me }: { me: Me }): ReactNode {
	return (
		<dl className="grid grid-cols-[6rem_1fr] gap-x-3 gap-y-2">
			<dt className="text-muted">{TEXTS.email}</dt>
			<dd className="min-w-0">
				<span className="[overflow-wrap:anywhere]">{me.email ?? TEXTS.noEmail}</span>
				<span className="block text-muted text-sm">{emailHint(me)}</span>
			</dd>
			<dt className="text-muted">{TEXTS.role}</dt>
			<dd>
				{settingsTexts.role[me.role]}
				<span className="block text-muted text-sm">{settingsTexts.roleText[me.role]}</span>
			</dd>
			<dt className="text-muted">{TEXTS.signsIn}</dt>
			<dd>{methodText(me)}</dd>
		</dl>
	);
}

function emailHint({ authMethod, provider }: Me): string {
	return authMethod === "OAUTH2" ? TEXTS.emailHint.OAUTH2(providerName(provider)) : TEXTS.emailHint[authMethod];
}

function methodText({ authMethod, provider }: Me): string {
	return authMethod === "OAUTH2"
		? settingsTexts.method.OAUTH2(providerName(provider))
		: settingsTexts.method[authMethod];
}

function Username({ me }: { me: Me }): ReactNode {
	const queries = useQueryClient();
	const [username, setUsername] = useState(me.username);
	const [missing, setMissing] = useState(false);
	const update = useMutation({
		mutationFn: () => api.patch("/v1/user", { body: { username: username.trim() } }),
		onSuccess: () => queries.invalidateQueries({ queryKey: meQuery.queryKey }),
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		setMissing(username.trim() === "");
		if (username.trim() !== "") update.mutate();
	};
	const problem = missing ? TEXTS.usernameMissing : update.error ? errorText(update.error).message : undefined;
	return (
		<form onSubmit={submit} className="flex flex-col gap-2">
			<Field label={TEXTS.username} hint={TEXTS.usernameHint} error={problem}>
				<Input
					value={username}
					autoComplete="username"
					maxLength={255}
					aria-invalid={problem !== undefined}
					onChange={(event) => setUsername(event.target.value)}
				/>
			</Field>
			<div className="flex items-center gap-3">
				<Button type="submit" disabled={update.isPending || username.trim() === me.username}>
					{texts.action.save}
				</Button>
				<span role="status" className="text-muted">
					{update.isSuccess && username.trim() === me.username && texts.state.saved}
				</span>
			</div>
		</form>
	);
}

function Password({ me }: { me: Me }): ReactNode {
	if (me.authMethod === "OAUTH2") {
		return <p className="text-muted">{TEXTS.noPassword.OAUTH2(providerName(me.provider))}</p>;
	}
	if (me.authMethod === "LDAP") return <p className="text-muted">{TEXTS.noPassword.LDAP}</p>;
	if (!config.auth.passwordLogin) return <p className="text-muted">{TEXTS.passwordOff}</p>;
	return <ChangePassword username={me.email ?? me.username} />;
}
