import { type ReactNode, type RefObject, useId, useState } from "react";
import { config } from "../lib/config.ts";
import { keepsPasswordRules } from "../lib/password-rules.ts";
import { signInTexts } from "../texts/sign-in-en.ts";
import { PasswordField } from "../ui/password-field.tsx";
import { PasswordRules } from "../ui/password-rules.tsx";

const TEXTS = signInTexts.password;

export interface NewPasswordFieldsProps {
	readonly fresh: RefObject<HTMLInputElement | null>;
	readonly repeat: RefObject<HTMLInputElement | null>;
	/** Id of the element with the error message. */
	readonly describedBy: string;
}

/** The new password twice, and the rules it has to meet. */
export function NewPasswordFields({ fresh, repeat, describedBy }: NewPasswordFieldsProps): ReactNode {
	const rules = useId();
	const [typed, setTyped] = useState("");
	return (
		<>
			<PasswordField
				ref={fresh}
				label={TEXTS.fresh}
				name="new-password"
				autoComplete="new-password"
				required
				onChange={(event) => setTyped(event.target.value)}
				aria-describedby={`${rules} ${describedBy}`}
			>
				<PasswordRules id={rules} password={typed} strong={config.auth.strongPasswords} />
			</PasswordField>
			<PasswordField
				ref={repeat}
				label={TEXTS.repeat}
				name="repeated-password"
				autoComplete="new-password"
				required
				aria-describedby={describedBy}
			/>
		</>
	);
}

/** The problem of a new password before it is sent; undefined if there is none. */
export function newPasswordProblem(password: string, repeated: string, current?: string): string | undefined {
	if (!keepsPasswordRules(password, config.auth.strongPasswords)) return TEXTS.breaksRules;
	if (password === current) return TEXTS.same;
	return password === repeated ? undefined : TEXTS.differs;
}
