import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../../lib/api.ts";
import { fieldErrors } from "../../../lib/field-errors.ts";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { ShownOnceDialog } from "../../../ui/shown-once.tsx";
import {
	type DraftProblems,
	findProblems,
	initialPassword,
	NEW_USER,
	sendsWelcomeMail,
	type UserDraft,
} from "./user-draft.ts";
import { UserFields } from "./user-fields.tsx";

const TEXTS = settingsTexts.users;

interface Creation {
	readonly user: UserDraft;
	readonly password: string | undefined;
}

async function createUser({ user, password }: Creation) {
	const body = {
		user: {
			auth_method: user.method,
			email: user.email.trim(),
			username: user.username.trim(),
			role: user.role,
			...(password === undefined ? {} : { password }),
		},
		send_welcome_email: sendsWelcomeMail(user),
	};
	return (await api.post("/v1/users", { body })).data;
}

/** Creates a user; a generated password is shown only once. */
export function CreateUserDialog({
	onClose,
	onDone,
}: {
	onClose: () => void;
	/** Called with a description of what was done. */
	onDone: (text: string) => void;
}): ReactNode {
	const queries = useQueryClient();
	const [draft, setDraft] = useState(NEW_USER);
	const [problems, setProblems] = useState<DraftProblems>({});
	const [handOut, setHandOut] = useState<string>();
	const create = useMutation({
		mutationFn: createUser,
		gcTime: 0,
		onSuccess: async (created, { user, password }) => {
			await queries.invalidateQueries({ queryKey: ["users"] });
			onDone(TEXTS.created(created.username));
			if (password !== undefined && user.initial === "generate") setHandOut(password);
			else onClose();
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const found = findProblems(draft);
		setProblems(found);
		if (Object.keys(found).length > 0) create.reset();
		else create.mutate({ user: draft, password: initialPassword(draft) });
	};
	if (handOut !== undefined) return <HandOut name={draft.username.trim()} password={handOut} onClose={onClose} />;
	const answer = fieldErrors(create.error, {
		email: ["email_exists"],
		username: ["username_exists"],
		password: ["password_policy"],
	});
	return (
		<FormDialog
			title={TEXTS.create}
			action={texts.action.create}
			isPending={create.isPending}
			error={answer.rest}
			onSubmit={submit}
			onClose={onClose}
		>
			<UserFields draft={draft} problems={{ ...answer.at, ...problems }} onChange={setDraft} />
		</FormDialog>
	);
}

function HandOut({ name, password, onClose }: { name: string; password: string; onClose: () => void }): ReactNode {
	return (
		<ShownOnceDialog
			title={TEXTS.createdTitle(name)}
			label={TEXTS.initial}
			text={TEXTS.createdText}
			secret={password}
			onClose={onClose}
		/>
	);
}
