import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { changeKey, type KeyChange, type KeyKind } from "../../../lib/api-keys.ts";
import { useCan } from "../../../lib/me.ts";
import { formatTime } from "../../../lib/time.ts";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { Select } from "../../../ui/select.tsx";
import { hasOtherHomes, limitChanges, limitsFormOf } from "./key-changes.ts";
import type { ListedKey } from "./key-columns.tsx";
import { expiryTime, today } from "./key-expiry.ts";
import { findLimitProblems, KeyLimitFields, type LimitProblems } from "./key-limit-fields.tsx";
import { permissionsWithin } from "./key-purposes.ts";

const TEXTS = settingsTexts.keys;

interface Problems extends LimitProblems {
	readonly name?: string;
	readonly date?: string;
}

/** Changes a key to one that may less; offers nothing that would give it more. */
export function ChangeKeyForm({
	kind,
	listed,
	onChanged,
	onCancel,
}: {
	kind: KeyKind;
	listed: ListedKey;
	onChanged: (changed: ListedKey) => void;
	onCancel: () => void;
}): ReactNode {
	const before = limitsFormOf(listed);
	const [name, setName] = useState(listed.name);
	const [description, setDescription] = useState(listed.description ?? "");
	const [limits, setLimits] = useState(before);
	const [date, setDate] = useState("");
	const [problems, setProblems] = useState<Problems>({});
	const can = useCan();
	const queries = useQueryClient();
	const change = useMutation({
		mutationFn: (sent: KeyChange) => changeKey(kind, listed.id, sent),
		onSuccess: async (changed) => {
			await queries.invalidateQueries({ queryKey: ["api-keys"] });
			onChanged({ ...listed, ...changed });
		},
	});
	const offered = permissionsWithin(before.permissions);
	// A role that was taken away leaves what the key was made for.
	const permissions = kind === "system" || can("write") || before.permissions !== null ? offered : (["read"] as const);
	const ends = listed.expires_at === undefined ? TEXTS.noExpiry : formatTime(listed.expires_at);
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const expires = date === "" ? undefined : expiryTime("date", date);
		const found: Problems = {
			...findLimitProblems(limits),
			...(name.trim() === "" ? { name: TEXTS.nameMissing } : {}),
			...(listed.projects !== null && hasOtherHomes(before, limits) && limits.projects.length === 0 && !limits.library
				? { homes: TEXTS.homesMissing }
				: {}),
			...(expires === "invalid" ? { date: TEXTS.dateMissing } : {}),
			...(expires !== undefined && Date.parse(expires) > Date.parse(listed.expires_at ?? "")
				? { date: TEXTS.endsLater(ends) }
				: {}),
		};
		setProblems(found);
		if (Object.keys(found).length > 0) return;
		change.mutate({
			...limitChanges(before, limits),
			...(name.trim() === listed.name ? {} : { name: name.trim() }),
			...(description.trim() === (listed.description ?? "") ? {} : { description: description.trim() || null }),
			...(expires === undefined ? {} : { expires_at: expires }),
		});
	};
	return (
		<form onSubmit={submit} className="flex flex-col gap-3 overflow-auto p-4">
			<p className="text-muted">{TEXTS.changeText}</p>
			<Field label={TEXTS.name} error={problems.name}>
				<Input
					value={name}
					maxLength={255}
					aria-invalid={problems.name !== undefined}
					onChange={(event) => setName(event.target.value)}
				/>
			</Field>
			<Field label={TEXTS.description}>
				<Input value={description} maxLength={1_000} onChange={(event) => setDescription(event.target.value)} />
			</Field>
			{before.permissions === null && (
				<Field label={TEXTS.mayFields}>
					<Select
						value={limits.permissions === null ? "all" : "ticked"}
						onChange={(chosen) => setLimits({ ...limits, permissions: chosen === "all" ? null : permissions })}
						choices={(["all", "ticked"] as const).map((value) => ({ value, label: TEXTS.mayChoice[value] }))}
					/>
				</Field>
			)}
			<KeyLimitFields
				form={limits}
				problems={problems}
				permissions={permissions}
				homes={listed.projects === null ? undefined : before}
				homesHint={
					listed.projects === null
						? TEXTS.homesHint
						: listed.hidden_project_count > 0
							? TEXTS.homesHidden(listed.hidden_project_count)
							: TEXTS.homesStay
				}
				isOpen
				onChange={(changed) => setLimits({ ...limits, ...changed })}
			/>
			<Field label={TEXTS.endsEarlier} hint={TEXTS.endsEarlierHint(ends)} error={problems.date}>
				<Input
					type="date"
					value={date}
					min={today()}
					aria-invalid={problems.date !== undefined}
					onChange={(event) => setDate(event.target.value)}
				/>
			</Field>
			<FormError error={change.error} />
			<div className="flex justify-end gap-2">
				<Button onClick={onCancel}>{texts.action.cancel}</Button>
				<Button type="submit" look="primary" disabled={change.isPending}>
					{texts.action.save}
				</Button>
			</div>
		</form>
	);
}
