import type { ErrorGroupChangeInput } from "@spanward/client";
import { type ReactNode, type SyntheticEvent, useId, useState } from "react";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Field, Input } from "../../ui/input.tsx";

interface ChangeDialogProps {
	readonly onChange: (change: ErrorGroupChangeInput) => void;
	readonly onClose: () => void;
}

/** Asks in which release it is resolved. */
export function ResolveInDialog({
	releases,
	onChange,
	onClose,
}: ChangeDialogProps & { readonly releases: readonly string[] }): ReactNode {
	const [release, setRelease] = useState(releases[0] ?? "");
	const known = useId();
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (release.trim() !== "") onChange({ state: "resolved", resolved_in_release: release.trim() });
	};
	return (
		<FormDialog
			title={TEXTS.resolveInTitle}
			action={TEXTS.action.resolve}
			isPending={release.trim() === ""}
			error={null}
			onSubmit={submit}
			onClose={onClose}
		>
			<Field label={TEXTS.release} hint={TEXTS.releaseHint}>
				<Input
					value={release}
					list={known}
					maxLength={1_000}
					required
					onChange={(event) => setRelease(event.target.value)}
				/>
			</Field>
			<datalist id={known}>
				{releases.map((each) => (
					<option key={each} value={each} />
				))}
			</datalist>
		</FormDialog>
	);
}

/** Asks until when it is ignored. */
export function IgnoreDialog({ onChange, onClose }: ChangeDialogProps): ReactNode {
	const [time, setTime] = useState("");
	const [occurrences, setOccurrences] = useState("");
	const [users, setUsers] = useState("");
	const isBad = (text: string) => text !== "" && !/^[1-9]\d{0,8}$/.test(text);
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (isBad(occurrences) || isBad(users)) return;
		onChange({
			state: "ignored",
			ignore_until: {
				...(time === "" ? {} : { time: new Date(time).toISOString() }),
				...(occurrences === "" ? {} : { occurrences: Number(occurrences) }),
				...(users === "" ? {} : { users: Number(users) }),
			},
		});
	};
	const numbers = [
		[TEXTS.moreOccurrencesField, occurrences, setOccurrences],
		[TEXTS.moreUsersField, users, setUsers],
	] as const;
	return (
		<FormDialog
			title={TEXTS.ignoreTitle}
			action={TEXTS.action.ignore}
			isPending={false}
			error={null}
			onSubmit={submit}
			onClose={onClose}
		>
			<p className="text-muted">{TEXTS.ignoreText}</p>
			<Field label={TEXTS.untilDate}>
				<Input type="datetime-local" value={time} onChange={(event) => setTime(event.target.value)} />
			</Field>
			{numbers.map(([label, value, set]) => (
				<Field key={label} label={label} error={isBad(value) ? TEXTS.badCount : undefined}>
					<Input inputMode="numeric" value={value} onChange={(event) => set(event.target.value)} />
				</Field>
			))}
		</FormDialog>
	);
}
