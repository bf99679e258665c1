import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { createKey, type KeyKind, type NewKey } from "../../../lib/api-keys.ts";
import { useCan } from "../../../lib/me.ts";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { Select } from "../../../ui/select.tsx";
import { SendSnippets } from "../../../ui/send-snippets.tsx";
import { ShownOnce } from "../shown-once.tsx";
import { EXPIRIES, type Expiry, expiryTime, today } from "./key-expiry.ts";

const TEXTS = settingsTexts.keys;

/** Asks for name and expiry, creates the key, and shows it once. */
export function CreateKeyDialog({ kind, onClose }: { kind: KeyKind; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const create = useMutation({
		mutationFn: (key: NewKey) => createKey(kind, key),
		onSuccess: () => queries.invalidateQueries({ queryKey: ["api-keys"] }),
		// The key must not be cached after the dialog is closed.
		gcTime: 0,
	});
	if (create.data) return <NewKeyDialog apiKey={create.data.key} kind={kind} onClose={onClose} />;
	return (
		<Dialog open onOpenChange={onClose} title={kind === "system" ? TEXTS.createSystem : TEXTS.createOwn}>
			<KeyForm isPending={create.isPending} error={create.error} onSubmit={create.mutate} onCancel={onClose} />
		</Dialog>
	);
}

function KeyForm({
	isPending,
	error,
	onSubmit,
	onCancel,
}: {
	isPending: boolean;
	error: Error | null;
	onSubmit: (key: NewKey) => void;
	onCancel: () => void;
}): ReactNode {
	const [name, setName] = useState("");
	const [description, setDescription] = useState("");
	const [expiry, setExpiry] = useState<Expiry>("never");
	const [date, setDate] = useState("");
	const [problem, setProblem] = useState<{ name?: string; date?: string }>({});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const expires = expiryTime(expiry, date);
		if (name.trim() === "") return setProblem({ name: TEXTS.nameMissing });
		if (expires === "invalid") return setProblem({ date: TEXTS.dateMissing });
		setProblem({});
		onSubmit({
			name: name.trim(),
			...(description.trim() ? { description: description.trim() } : {}),
			...(expires ? { expires_at: expires } : {}),
		});
	};
	return (
		<form onSubmit={submit} className="flex flex-col gap-3 overflow-auto p-4">
			<Field label={TEXTS.name} hint={TEXTS.nameHint} error={problem.name}>
				<Input
					value={name}
					maxLength={255}
					aria-invalid={problem.name !== undefined}
					onChange={(event) => setName(event.target.value)}
				/>
			</Field>
			<Field label={TEXTS.description}>
				<Input value={description} maxLength={1_000} onChange={(event) => setDescription(event.target.value)} />
			</Field>
			<Field label={TEXTS.expiry} hint={expiry === "never" ? TEXTS.expiryNeverHint : undefined}>
				<Select
					value={expiry}
					onChange={setExpiry}
					choices={EXPIRIES.map((value) => ({ value, label: expiryLabel(value) }))}
				/>
			</Field>
			{expiry === "date" && (
				<Field label={TEXTS.date} error={problem.date}>
					<Input
						type="date"
						value={date}
						min={today()}
						aria-invalid={problem.date !== undefined}
						onChange={(event) => setDate(event.target.value)}
					/>
				</Field>
			)}
			<FormError error={error} />
			<div className="flex justify-end gap-2">
				<Button onClick={onCancel}>{texts.action.cancel}</Button>
				<Button type="submit" look="primary" disabled={isPending}>
					{texts.action.create}
				</Button>
			</div>
		</form>
	);
}

function expiryLabel(expiry: Expiry): string {
	if (expiry === "never") return TEXTS.expiryNever;
	return expiry === "date" ? TEXTS.expiryDate : TEXTS.expiryDays(Number(expiry));
}

function NewKeyDialog({ apiKey, kind, onClose }: { apiKey: string; kind: KeyKind; onClose: () => void }): ReactNode {
	const can = useCan();
	const sends = kind === "system" || can("write");
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.newTitle} staysOnPress className="w-[min(44rem,calc(100vw-1rem))]">
			<div className="flex flex-col gap-3 overflow-auto p-4">
				<ShownOnce label={TEXTS.key} text={TEXTS.newText} secret={apiKey} />
				{sends ? (
					<>
						<h3 className="font-semibold">{TEXTS.use}</h3>
						<SendSnippets project="default" apiKey={apiKey} />
					</>
				) : (
					<p className="text-muted">{TEXTS.viewerNote}</p>
				)}
				<Button look="primary" className="self-end" onClick={onClose}>
					{TEXTS.done}
				</Button>
			</div>
		</Dialog>
	);
}
