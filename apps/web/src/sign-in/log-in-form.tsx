import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef, useState } from "react";
import { fetchMe, type Me } from "../auth/me.ts";
import { stampRenewal } from "../auth/renewal-stamp.ts";
import { broadcastToTabs } from "../auth/tabs.ts";
import { signInTexts } from "../texts/sign-in-en.ts";
import { buttonClass } from "../ui/button-class.ts";
import { Field, Input } from "../ui/input.tsx";
import { PasswordField } from "../ui/password-field.tsx";
import { FormAlert } from "./form-alert.tsx";
import { type LogInWay, rememberWay } from "./log-in-ways.ts";
import { offline, type Refusal, sendForm } from "./requests.ts";

const TEXTS = signInTexts.logIn;

export interface LogInFormProps {
	readonly way: LogInWay;
	/** Already in the first field. */
	readonly name?: string | undefined;
	/** `password` is what was typed, for a new one that has to be set with it. */
	readonly onLoggedIn: (me: Me, password: string) => void;
}

/** Username and password. The fields are uncontrolled, so that password managers can fill them in. */
export function LogInForm({ way, name, onLoggedIn }: LogInFormProps): ReactNode {
	const alert = useId();
	const nameField = useRef<HTMLInputElement>(null);
	const passwordField = useRef<HTMLInputElement>(null);
	const [answer, setAnswer] = useState<{ readonly way: LogInWay; readonly refusal: Refusal | string }>();
	const [busy, setBusy] = useState(false);
	useEffect(() => {
		const [field, next] = [nameField.current, passwordField.current];
		(field?.value ? next : field)?.focus();
	}, []);
	const submit = async (event: SyntheticEvent<HTMLFormElement>) => {
		event.preventDefault();
		if (busy) return;
		const [typed, password] = [nameField.current?.value.trim() ?? "", passwordField.current?.value ?? ""];
		if (typed === "" || password === "") {
			setAnswer({ way, refusal: TEXTS.missing[way] });
			(typed === "" ? nameField : passwordField).current?.focus();
			return;
		}
		setBusy(true);
		setAnswer(undefined);
		const refusal = await logIn(way, typed, password, onLoggedIn);
		if (refusal === undefined) return;
		setBusy(false);
		setAnswer({ way, refusal });
		passwordField.current?.focus();
		passwordField.current?.select();
	};
	// A refusal of one way to log in does not concern the other.
	const refusal = answer?.way === way ? answer.refusal : undefined;
	const isWrong = refusal === signInTexts.refused.wrong[way];
	const described = { "aria-describedby": alert, ...(isWrong ? { "aria-invalid": true } : {}) };
	return (
		<form method="post" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
			<FormAlert id={alert} refusal={refusal} />
			<Field label={TEXTS.name[way]}>
				<Input
					ref={nameField}
					type={way === "password" ? "email" : "text"}
					name={way === "password" ? "email" : "username"}
					defaultValue={name}
					autoComplete="username"
					autoCapitalize="none"
					spellCheck={false}
					required
					className="h-9"
					{...described}
				/>
			</Field>
			<PasswordField
				ref={passwordField}
				label={TEXTS.password}
				name="password"
				autoComplete="current-password"
				required
				{...described}
			/>
			<button type="submit" aria-disabled={busy} className={buttonClass("primary", "h-9")}>
				{busy ? TEXTS.busy : TEXTS.submit}
			</button>
		</form>
	);
}

async function logIn(
	way: LogInWay,
	name: string,
	password: string,
	onLoggedIn: LogInFormProps["onLoggedIn"],
): Promise<Refusal | string | undefined> {
	const refused =
		way === "password"
			? await sendForm("POST", "/auth/login", { email: name, password })
			: await sendForm("POST", "/auth/ldap/login", { username: name, password });
	if (refused?.code === "invalid_login") return signInTexts.refused.wrong[way];
	if (refused !== undefined) return refused;
	try {
		const me = await fetchMe(fetch);
		if (me === undefined) return signInTexts.refused.noCookie;
		stampRenewal();
		rememberWay(way);
		broadcastToTabs({ kind: "logged-in", userId: me.id });
		onLoggedIn(me, password);
		return;
	} catch (error) {
		if (error instanceof TypeError) return offline();
		if (error instanceof Error) return signInTexts.refused.busy;
		throw error;
	}
}
