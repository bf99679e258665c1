import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useId, useState } from "react";
import { api } from "../../../lib/api.ts";
import { config } from "../../../lib/config.ts";
import { fieldErrors } from "../../../lib/field-errors.ts";
import { keepsPasswordRules } from "../../../lib/password-rules.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { FieldProblem } from "../../../ui/field-problem.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { PasswordField } from "../../../ui/password-field.tsx";
import { PasswordRules } from "../../../ui/password-rules.tsx";

const TEXTS = settingsTexts.account;

type Problems = Partial<Record<"current_password" | "password", string>>;

/** Sets one's own password; the server ends all other sessions. */
export function ChangePassword({ username }: { username: string }): ReactNode {
	const queries = useQueryClient();
	const [current, setCurrent] = useState("");
	const [next, setNext] = useState("");
	const [found, setFound] = useState<Problems>({});
	const rules = useId();
	const change = useMutation({
		mutationFn: () => api.patch("/v1/user", { body: { password: next, current_password: current } }),
		onSuccess: async () => {
			setCurrent("");
			setNext("");
			await queries.invalidateQueries({ queryKey: ["login-sessions"] });
		},
	});
	const answer = fieldErrors(change.error, {
		current_password: ["wrong_password", "current_password_needed"],
		password: ["password_policy", "password_unchanged"],
	});
	const problems = { ...answer.at, ...found };
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const missing = findProblems(current, next);
		setFound(missing);
		if (Object.keys(missing).length > 0) change.reset();
		else change.mutate();
	};
	return (
		<form onSubmit={submit} className="flex flex-col gap-3">
			{/* Tells password managers whose password this is. */}
			<input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
			<PasswordField
				label={TEXTS.current}
				value={current}
				autoComplete="current-password"
				aria-invalid={problems.current_password !== undefined}
				onChange={(event) => setCurrent(event.target.value)}
			>
				<FieldProblem text={problems.current_password} />
			</PasswordField>
			<PasswordField
				label={TEXTS.new}
				value={next}
				autoComplete="new-password"
				aria-invalid={problems.password !== undefined}
				aria-describedby={rules}
				onChange={(event) => setNext(event.target.value)}
			>
				<FieldProblem text={problems.password} />
				<PasswordRules id={rules} password={next} strong={config.auth.strongPasswords} />
			</PasswordField>
			<FormError error={answer.rest} />
			<div className="flex items-center gap-3">
				<Button type="submit" look="primary" disabled={change.isPending}>
					{TEXTS.change}
				</Button>
				<span role="status" className="text-muted">
					{change.isSuccess && TEXTS.changed}
				</span>
			</div>
		</form>
	);
}

function findProblems(current: string, next: string): Problems {
	if (current === "") return { current_password: TEXTS.currentMissing };
	if (!keepsPasswordRules(next, config.auth.strongPasswords)) return { password: TEXTS.rulesBroken };
	return next === current ? { password: TEXTS.same } : {};
}
