import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useEffect, useState } from "react";
import { api } from "../../../lib/api.ts";
import { fieldErrors } from "../../../lib/field-errors.ts";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { secretsQuery, writeSecret } from "./secret-queries.ts";

const TEXTS = settingsTexts.secrets;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function useWrite(onClose: () => void) {
	const queries = useQueryClient();
	return useMutation({
		mutationFn: ({ name, value }: { name: string; value: string | null }) => writeSecret(name, value),
		gcTime: 0,
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: secretsQuery.queryKey });
			onClose();
		},
	});
}

/** Adds a secret, or replaces the value of the named one. */
export function WriteSecretDialog({
	name: existing,
	taken,
	onClose,
}: {
	name: string | undefined;
	/** Existing names, whose values must not be replaced by mistake. */
	taken: readonly string[];
	onClose: () => void;
}): ReactNode {
	const [typed, setTyped] = useState("");
	const [value, setValue] = useState("");
	const [found, setFound] = useState<{ key?: string; value?: string }>({});
	const write = useWrite(onClose);
	const answer = fieldErrors(write.error, { key: [], value: [] });
	const problems = { ...answer.at, ...found };
	const name = existing ?? typed.trim();
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const problem = findProblems(name, value, taken);
		setFound(problem);
		if (Object.keys(problem).length === 0) write.mutate({ name, value });
	};
	return (
		<FormDialog
			title={existing === undefined ? TEXTS.add : TEXTS.replaceTitle(existing)}
			action={texts.action.save}
			isPending={write.isPending}
			error={answer.rest}
			onSubmit={submit}
			onClose={onClose}
		>
			{existing === undefined && (
				<Field label={TEXTS.name} hint={TEXTS.nameHint} error={problems.key}>
					<Input
						value={typed}
						className="font-mono"
						maxLength={255}
						aria-invalid={problems.key !== undefined}
						onChange={(event) => setTyped(event.target.value)}
					/>
				</Field>
			)}
			<Field label={TEXTS.value} error={problems.value}>
				<textarea
					value={value}
					rows={4}
					spellCheck={false}
					autoComplete="off"
					aria-invalid={problems.value !== undefined}
					onChange={(event) => setValue(event.target.value)}
					className="rounded border border-line-strong bg-surface p-2 font-mono text-sm aria-[invalid=true]:border-danger"
				/>
			</Field>
		</FormDialog>
	);
}

function findProblems(name: string, value: string, taken: readonly string[]): { key?: string; value?: string } {
	return {
		...(NAME.test(name) ? {} : { key: TEXTS.nameBad }),
		...(taken.includes(name) ? { key: TEXTS.nameTaken } : {}),
		...(value.trim() === "" ? { value: TEXTS.valueMissing } : {}),
	};
}

/** Requests the value from the server, and discards it when the dialog is closed. */
export function ViewSecretDialog({ name, onClose }: { name: string; onClose: () => void }): ReactNode {
	// Not a query, which would cache the answer, and refetch it when the window gets the focus.
	const { mutate, data, error } = useMutation({
		mutationFn: async () => (await api.get("/v1/secrets/{secret_key}", { path: { secret_key: name } })).data.value,
		gcTime: 0,
	});
	useEffect(() => mutate(), [mutate]);
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.viewTitle(name)}>
			<div className="flex flex-col gap-3 overflow-auto p-4">
				<FormError error={error} />
				{data === undefined && !error && <Skeleton className="w-2/3" />}
				{data !== undefined && (
					<section
						aria-label={TEXTS.value}
						className="flex items-start gap-1 rounded border border-line bg-sunken py-1 pr-1 pl-3"
					>
						<pre className="min-w-0 flex-1 whitespace-pre-wrap py-1 font-mono text-sm [overflow-wrap:anywhere]">
							{data}
						</pre>
						<CopyButton text={data} label={texts.action.copyNamed(TEXTS.value)} />
					</section>
				)}
				<p className="text-muted">{TEXTS.viewText}</p>
			</div>
		</Dialog>
	);
}

export function DeleteSecretDialog({ name, onClose }: { name: string; onClose: () => void }): ReactNode {
	const write = useWrite(onClose);
	const mutation = { ...write, mutate: () => write.mutate({ name, value: null }) };
	return (
		<ConfirmDialog title={TEXTS.deleteTitle(name)} action={TEXTS.delete} mutation={mutation} onClose={onClose}>
			<p>{TEXTS.deleteText}</p>
		</ConfirmDialog>
	);
}
