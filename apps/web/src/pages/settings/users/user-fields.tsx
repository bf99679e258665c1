import { type ReactNode, useId } from "react";
import { config } from "../../../lib/config.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { FieldProblem } from "../../../ui/field-problem.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { PasswordField } from "../../../ui/password-field.tsx";
import { PasswordRules } from "../../../ui/password-rules.tsx";
import { Select } from "../../../ui/select.tsx";
import { RoleField } from "./role-field.tsx";
import { type DraftProblems, INITIALS, METHODS, type Method, type UserDraft } from "./user-draft.ts";

const TEXTS = settingsTexts.users;

interface FieldsProps {
	readonly draft: UserDraft;
	readonly problems: DraftProblems;
	readonly onChange: (draft: UserDraft) => void;
}

export function UserFields(props: FieldsProps): ReactNode {
	const { draft, problems, onChange } = props;
	return (
		<>
			<Field label={TEXTS.email} hint={TEXTS.emailHint} error={problems.email}>
				<Input
					type="email"
					value={draft.email}
					maxLength={254}
					aria-invalid={problems.email !== undefined}
					onChange={(event) => onChange({ ...draft, email: event.target.value })}
				/>
			</Field>
			<Field label={TEXTS.username} error={problems.username}>
				<Input
					value={draft.username}
					maxLength={128}
					aria-invalid={problems.username !== undefined}
					onChange={(event) => onChange({ ...draft, username: event.target.value })}
				/>
			</Field>
			<RoleField role={draft.role} onChange={(role) => onChange({ ...draft, role })} />
			{METHODS.length > 1 && (
				<Field label={TEXTS.column.method} hint={methodHint(draft.method)}>
					<Select
						value={draft.method}
						onChange={(method) => onChange({ ...draft, method })}
						choices={METHODS.map((value) => ({ value, label: methodLabel(value) }))}
					/>
				</Field>
			)}
			{draft.method === "LOCAL" && <FirstPassword {...props} />}
			{config.auth.passwordMail && (draft.method !== "LOCAL" || draft.initial !== "mail") && (
				<label className="flex items-center gap-2">
					<input
						type="checkbox"
						checked={draft.sendsMail}
						onChange={(event) => onChange({ ...draft, sendsMail: event.target.checked })}
					/>
					{TEXTS.welcome}
				</label>
			)}
		</>
	);
}

function methodLabel(method: Method): string {
	return method === "OAUTH2" ? providerNames() : settingsTexts.methodShort[method];
}

function methodHint(method: Method): string | undefined {
	return method === "OAUTH2" ? TEXTS.methodHint.OAUTH2(providerNames()) : TEXTS.methodHint[method];
}

/** The names of all providers: the account is bound to one of them at the first sign-in. */
function providerNames(): string {
	return new Intl.ListFormat("en", { type: "disjunction" }).format(config.auth.providers.map(({ name }) => name));
}

function FirstPassword({ draft, problems, onChange }: FieldsProps): ReactNode {
	const rules = useId();
	return (
		<>
			<Field label={TEXTS.initial} hint={TEXTS.initialHint[draft.initial]}>
				<Select
					value={draft.initial}
					onChange={(initial) => onChange({ ...draft, initial })}
					choices={INITIALS.map((value) => ({ value, label: TEXTS.initialFrom[value] }))}
				/>
			</Field>
			{draft.initial === "write" && (
				<PasswordField
					label={TEXTS.password}
					value={draft.written}
					autoComplete="new-password"
					aria-invalid={problems.password !== undefined}
					aria-describedby={rules}
					onChange={(event) => onChange({ ...draft, written: event.target.value })}
				>
					<FieldProblem text={problems.password} />
					<PasswordRules id={rules} password={draft.written} strong={config.auth.strongPasswords} />
				</PasswordField>
			)}
		</>
	);
}
