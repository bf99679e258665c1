import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useId, useState } from "react";
import { api } from "../../../lib/api.ts";
import { config } from "../../../lib/config.ts";
import { fieldErrors } from "../../../lib/field-errors.ts";
import { keepsPasswordRules } from "../../../lib/password-rules.ts";
import { providerName } from "../../../lib/provider-name.ts";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { FieldProblem } from "../../../ui/field-problem.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { PasswordField } from "../../../ui/password-field.tsx";
import { PasswordRules } from "../../../ui/password-rules.tsx";
import { RoleField } from "./role-field.tsx";
import { toGivenRole, type User } from "./user-queries.ts";

const TEXTS = settingsTexts.users;

/** An action on a user. */
export interface UserTask {
	readonly kind: "rename" | "role" | "password" | "unbind" | "delete";
	readonly user: User;
}

interface TaskProps {
	readonly user: User;
	readonly onClose: () => void;
	/** Called with a description of what was done. */
	readonly onDone: (text: string) => void;
}

export function UserDialog({ task, ...props }: { task: UserTask } & Omit<TaskProps, "user">): ReactNode {
	const Task = TASKS[task.kind];
	return <Task user={task.user} {...props} />;
}

interface UserChange {
	readonly username?: string;
	readonly role?: "ADMIN" | "MEMBER" | "VIEWER";
	readonly password?: string;
}

function useChange({ user, onClose, onDone }: TaskProps, done: (changed: User) => string) {
	const queries = useQueryClient();
	return useMutation({
		mutationFn: (body: UserChange) => api.patch("/v1/users/{user_id}", { path: { user_id: user.id }, body }),
		onSuccess: async ({ data }) => {
			await queries.invalidateQueries({ queryKey: ["users"] });
			onDone(done(data));
			onClose();
		},
	});
}

function RenameDialog(props: TaskProps): ReactNode {
	const { user, onClose } = props;
	const [username, setUsername] = useState(user.username);
	const change = useChange(props, () => texts.state.saved);
	const { at, rest } = fieldErrors(change.error, { username: ["username_exists"] });
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (username.trim() === user.username) onClose();
		else change.mutate({ username: username.trim() });
	};
	return (
		<FormDialog
			title={TEXTS.renameTitle(user.username)}
			action={texts.action.save}
			isPending={change.isPending}
			error={rest}
			onSubmit={submit}
			onClose={onClose}
		>
			<Field label={TEXTS.username} error={at.username}>
				<Input
					value={username}
					maxLength={255}
					aria-invalid={at.username !== undefined}
					onChange={(event) => setUsername(event.target.value)}
				/>
			</Field>
		</FormDialog>
	);
}

function RoleDialog(props: TaskProps): ReactNode {
	const { user, onClose } = props;
	const [role, setRole] = useState(toGivenRole(user.role));
	const change = useChange(props, (changed) => TEXTS.roleSet(changed.username, settingsTexts.role[changed.role]));
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (role === user.role) onClose();
		else change.mutate({ role });
	};
	return (
		<FormDialog
			title={TEXTS.roleTitle(user.username)}
			action={texts.action.save}
			isPending={change.isPending}
			error={change.error}
			onSubmit={submit}
			onClose={onClose}
		>
			<p className="text-muted">
				{TEXTS.roleText} {TEXTS.roleFollows[user.auth_method]}
			</p>
			<RoleField role={role} onChange={setRole} />
		</FormDialog>
	);
}

function PasswordDialog(props: TaskProps): ReactNode {
	const { user, onClose } = props;
	const [password, setPassword] = useState("");
	const [isBroken, setBroken] = useState(false);
	const rules = useId();
	const change = useChange(props, (changed) => TEXTS.passwordSet(changed.username));
	const { at, rest } = fieldErrors(change.error, { password: ["password_policy"] });
	const problem = isBroken ? settingsTexts.account.rulesBroken : at.password;
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const isGood = keepsPasswordRules(password, config.auth.strongPasswords);
		setBroken(!isGood);
		if (isGood) change.mutate({ password });
	};
	return (
		<FormDialog
			title={TEXTS.setPasswordTitle(user.username)}
			action={TEXTS.setPassword}
			isPending={change.isPending}
			error={rest}
			onSubmit={submit}
			onClose={onClose}
		>
			<p className="text-muted">{TEXTS.setPasswordText}</p>
			<PasswordField
				label={TEXTS.password}
				value={password}
				autoComplete="new-password"
				aria-invalid={problem !== undefined}
				aria-describedby={rules}
				onChange={(event) => setPassword(event.target.value)}
			>
				<FieldProblem text={problem} />
				<PasswordRules id={rules} password={password} strong={config.auth.strongPasswords} />
			</PasswordField>
		</FormDialog>
	);
}

function UnbindDialog({ user, onClose, onDone }: TaskProps): ReactNode {
	const queries = useQueryClient();
	const unbind = useMutation({
		mutationFn: () => api.delete("/v1/users/{user_id}/binding", { path: { user_id: user.id } }),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["users"] });
			onDone(TEXTS.unbindDone(user.username));
			onClose();
		},
	});
	return (
		<ConfirmDialog title={TEXTS.unbindTitle(user.username)} action={TEXTS.unbind} mutation={unbind} onClose={onClose}>
			<p>
				{user.auth_method === "LDAP"
					? TEXTS.unbindGoes.LDAP
					: TEXTS.unbindGoes.OAUTH2(providerName(user.oauth2_provider))}
			</p>
			{user.email !== "" && <p className="[overflow-wrap:anywhere]">{TEXTS.unbindNext(user.email)}</p>}
		</ConfirmDialog>
	);
}

function DeleteDialog({ user, onClose, onDone }: TaskProps): ReactNode {
	const queries = useQueryClient();
	const remove = useMutation({
		mutationFn: () => api.delete("/v1/users/{user_id}", { path: { user_id: user.id } }),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["users"] });
			await queries.invalidateQueries({ queryKey: ["api-keys", "users"] });
			onDone(TEXTS.deleted(user.username));
			onClose();
		},
	});
	return (
		<ConfirmDialog title={TEXTS.deleteTitle(user.username)} action={TEXTS.delete} mutation={remove} onClose={onClose}>
			<p>{user.email}</p>
			<p>{TEXTS.deleteGoes}</p>
			<p>{TEXTS.deleteStays}</p>
		</ConfirmDialog>
	);
}

const TASKS = {
	rename: RenameDialog,
	role: RoleDialog,
	password: PasswordDialog,
	unbind: UnbindDialog,
	delete: DeleteDialog,
} satisfies Record<UserTask["kind"], (props: TaskProps) => ReactNode>;
