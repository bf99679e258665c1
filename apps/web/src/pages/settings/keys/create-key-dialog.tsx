import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { createKey, type KeyKind, type NewKey } from "../../../lib/api-keys.ts";
import { useCan } from "../../../lib/me.ts";
import { PERMISSIONS } from "../../../limits/permissions.ts";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { Select } from "../../../ui/select.tsx";
import { EXPIRIES, type Expiry, expiryTime, today } from "./key-expiry.ts";
import { findLimitProblems, KeyLimitFields, type LimitProblems } from "./key-limit-fields.tsx";
import {
	type LimitsForm,
	NO_LIMITS,
	PERMISSIONS_FOR,
	PURPOSES,
	type Purpose,
	SPANS_FOR_BROWSERS,
	toSent,
} from "./key-purposes.ts";
import { type KeyLimits, keySentence } from "./key-sentence.ts";
import { NewKeyDialog } from "./new-key-dialog.tsx";

const TEXTS = settingsTexts.keys;

/** Asks for name and expiry, creates the key, and shows it once. @param purpose chosen at first */
export function CreateKeyDialog({
	kind,
	purpose = "everything",
	onClose,
}: {
	kind: KeyKind;
	purpose?: Purpose;
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const create = useMutation({
		mutationFn: (key: NewKey) => createKey(kind, key),
		onSuccess: () => queries.invalidateQueries({ queryKey: ["api-keys"] }),
		// The key must not be cached after the dialog is closed.
		gcTime: 0,
	});
	if (create.data) return <NewKeyDialog created={create.data} kind={kind} onClose={onClose} />;
	return (
		<Dialog open onOpenChange={onClose} title={kind === "system" ? TEXTS.createSystem : TEXTS.createOwn}>
			<KeyForm
				kind={kind}
				purpose={purpose}
				isPending={create.isPending}
				error={create.error}
				onSubmit={create.mutate}
				onCancel={onClose}
			/>
		</Dialog>
	);
}

function KeyForm({
	kind,
	purpose: firstPurpose,
	isPending,
	error,
	onSubmit,
	onCancel,
}: {
	kind: KeyKind;
	purpose: Purpose;
	isPending: boolean;
	error: Error | null;
	onSubmit: (key: NewKey) => void;
	onCancel: () => void;
}): ReactNode {
	const [name, setName] = useState("");
	const [description, setDescription] = useState("");
	const [expiry, setExpiry] = useState<Expiry>("never");
	const [date, setDate] = useState("");
	const [purpose, setPurpose] = useState(firstPurpose);
	const [limits, setLimits] = useState({ ...NO_LIMITS, permissions: PERMISSIONS_FOR[firstPurpose] });
	const [problem, setProblem] = useState<{ name?: string; date?: string } & LimitProblems>({});
	const can = useCan();
	const maySend = kind === "system" || can("write");
	const purposes = PURPOSES.filter((each) => maySend || each === "everything" || each === "read");
	const choose = (chosen: Purpose) => {
		setPurpose(chosen);
		setLimits({
			...limits,
			permissions: PERMISSIONS_FOR[chosen],
			spans: chosen === "browser" ? SPANS_FOR_BROWSERS : "",
		});
	};
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const expires = expiryTime(expiry, date);
		const found: typeof problem = {
			...findLimitProblems(limits),
			...(name.trim() === "" ? { name: TEXTS.nameMissing } : {}),
			...(expires === "invalid" ? { date: TEXTS.dateMissing } : {}),
		};
		setProblem(found);
		if (Object.keys(found).length > 0 || expires === "invalid") return;
		onSubmit({
			name: name.trim(),
			...(description.trim() ? { description: description.trim() } : {}),
			...(expires ? { expires_at: expires } : {}),
			...toSent(limits),
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
			<Field label={TEXTS.purpose}>
				<Select
					value={purpose}
					onChange={choose}
					choices={purposes.map((value) => ({ value, label: TEXTS.purposes[value] }))}
				/>
			</Field>
			<p className="text-muted">{keySentence(asLimits(limits), kind === "system" ? "a member" : "its owner")}</p>
			<KeyLimitFields
				form={limits}
				problems={problem}
				permissions={maySend ? PERMISSIONS : ["read"]}
				onChange={(change) => setLimits({ ...limits, ...change })}
			/>
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

/** The form as the answer would state it. */
function asLimits(form: LimitsForm): KeyLimits {
	const { projects, include_library, ip_ranges, allowed_origins, limits } = toSent(form);
	return {
		permissions: form.permissions === null ? null : [...form.permissions],
		projects: projects === undefined ? null : [...form.projects],
		hidden_project_count: 0,
		include_library: include_library ?? false,
		ip_ranges: ip_ranges ?? null,
		allowed_origins: allowed_origins ?? null,
		limits: {
			requests_per_minute: limits?.requests_per_minute ?? null,
			spans_per_day: limits?.spans_per_day ?? null,
		},
	};
}

function expiryLabel(expiry: Expiry): string {
	if (expiry === "never") return TEXTS.expiryNever;
	return expiry === "date" ? TEXTS.expiryDate : TEXTS.expiryDays(Number(expiry));
}
