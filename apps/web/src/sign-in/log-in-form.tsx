import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef, useState } from "react";
import { stampRenewal } from "../auth/renewal-stamp.ts";
import { tellTabs } from "../auth/tabs.ts";
import { fetchMe, type Me } from "../auth/who.ts";
import { signInTexts } from "../texts/sign-in-en.ts";
import { buttonClass } from "../ui/button-class.ts";
import { Field, Input } from "../ui/input.tsx";
import { PasswordField } from "../ui/password-field.tsx";
import { FormAlert } from "./form-alert.tsx";
import { offline, type Refusal, sendForm } from "./requests.ts";

const TEXTS = signInTexts.logIn;

export interface LogInFormProps {
	/** Already in the field. */
	readonly email?: string | undefined;
	/** `password` is what was typed, for a new one that has to be set with it. */
	readonly onLoggedIn: (me: Me, password: string) => void;
}

/** Email and password. The fields are the browser's own, so that password managers can fill them in. */
export function LogInForm({ email, onLoggedIn }: LogInFormProps): ReactNode {
	const alert = useId();
	const emailField = useRef<HTMLInputElement>(null);
	const passwordField = useRef<HTMLInputElement>(null);
	const [refusal, setRefusal] = useState<Refusal | string>();
	const [busy, setBusy] = useState(false);
	useEffect(() => {
		const [field, next] = [emailField.current, passwordField.current];
		(field?.value ? next : field)?.focus();
	}, []);
	const submit = async (event: SyntheticEvent<HTMLFormElement>) => {
		event.preventDefault();
		if (busy) return;
		const [name, password] = [emailField.current?.value.trim() ?? "", passwordField.current?.value ?? ""];
		if (name === "" || password === "") {
			setRefusal(TEXTS.missing);
			(name === "" ? emailField : passwordField).current?.focus();
			return;
		}
		setBusy(true);
		setRefusal(undefined);
		const refused = await logIn(name, password, onLoggedIn);
		if (refused === undefined) return;
		setBusy(false);
		setRefusal(refused);
		passwordField.current?.focus();
		passwordField.current?.select();
	};
	const isWrong = typeof refusal === "object" && refusal.status === 401;
	const described = { "aria-describedby": alert, ...(isWrong ? { "aria-invalid": true } : {}) };
	return (
		<form method="post" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
			<FormAlert id={alert} refusal={refusal} />
			<Field label={TEXTS.email}>
				<Input
					ref={emailField}
					type="email"
					name="email"
					defaultValue={email}
					autoComplete="username"
					autoCapitalize="none"
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
	email: string,
	password: string,
	onLoggedIn: LogInFormProps["onLoggedIn"],
): Promise<Refusal | string | undefined> {
	const refused = await sendForm("POST", "/auth/login", { email, password });
	if (refused !== undefined) return refused;
	try {
		const me = await fetchMe(fetch);
		if (me === undefined) return signInTexts.refused.noCookie;
		stampRenewal();
		tellTabs({ kind: "logged-in", userId: me.id });
		onLoggedIn(me, password);
		return;
	} catch (error) {
		if (error instanceof TypeError) return offline();
		if (error instanceof Error) return signInTexts.refused.busy;
		throw error;
	}
}
