import type { AccessPolicy } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { policyQuery } from "../../../homes/access-queries.ts";
import { api } from "../../../lib/api.ts";
import { accessTexts as TEXTS } from "../../../texts/access-en.ts";
import { texts } from "../../../texts/en.ts";
import { Button } from "../../../ui/button.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { Select } from "../../../ui/select.tsx";
import { SettingsPart } from "../project/settings-part.tsx";

const NAMES = TEXTS.policyField;
const YES_NO = [
	{ value: "yes", label: TEXTS.yes },
	{ value: "no", label: TEXTS.no },
] as const;

/** What holds where no project, grant or rule says otherwise. */
export function PolicySection(): ReactNode {
	const query = useQuery(policyQuery);
	return (
		<SettingsPart title={TEXTS.policy} text={TEXTS.policyText}>
			<Loaded data={query.data} query={query}>
				{(policy) => <Policy policy={policy} />}
			</Loaded>
		</SettingsPart>
	);
}

interface PolicyChange {
	readonly default_project_access?: "open" | "restricted";
	readonly open_role_of_members?: "viewer" | "annotator" | "editor";
	readonly members_create_projects?: boolean;
	readonly max_key_days?: number | null;
}

function Policy({ policy }: { policy: AccessPolicy }): ReactNode {
	const queries = useQueryClient();
	const save = useMutation({
		mutationFn: (body: PolicyChange) => api.patch("/v1/access_policy", { body }),
		onSuccess: () => queries.invalidateQueries({ queryKey: ["access-policy"] }),
	});
	const hintOf = (field: { readonly pinned: boolean; readonly variable: string }) =>
		field.pinned ? TEXTS.pinned(field.variable) : undefined;
	const isOff = (field: { readonly pinned: boolean }) => field.pinned || save.isPending;
	const { default_project_access: access, open_role_of_members: role } = policy;
	const { members_create_projects: create, max_key_days: days } = policy;
	return (
		<div className="grid gap-3 sm:grid-cols-2">
			<Field label={NAMES.default_project_access} hint={hintOf(access)}>
				<Select
					value={access.value}
					disabled={isOff(access)}
					choices={(["open", "restricted"] as const).map((value) => ({ value, label: TEXTS.access[value] }))}
					onChange={(value) => save.mutate({ default_project_access: value })}
				/>
			</Field>
			<Field label={NAMES.open_role_of_members} hint={hintOf(role)}>
				<Select
					value={role.value}
					disabled={isOff(role)}
					choices={(["viewer", "annotator", "editor"] as const).map((value) => ({ value, label: TEXTS.role[value] }))}
					onChange={(value) => save.mutate({ open_role_of_members: value })}
				/>
			</Field>
			<Field label={NAMES.members_create_projects} hint={hintOf(create)}>
				<Select
					value={create.value ? "yes" : "no"}
					disabled={isOff(create)}
					choices={YES_NO}
					onChange={(value) => save.mutate({ members_create_projects: value === "yes" })}
				/>
			</Field>
			<KeyDays
				key={days.value}
				value={days.value}
				hint={hintOf(days)}
				isOff={isOff(days)}
				onSave={(value) => save.mutate({ max_key_days: value })}
			/>
			<div className="sm:col-span-2">
				<FormError error={save.error} />
				<span role="status" className="text-muted">
					{save.isSuccess && TEXTS.saved}
				</span>
			</div>
		</div>
	);
}

function KeyDays({
	value,
	hint,
	isOff,
	onSave,
}: {
	value: number | null;
	hint: string | undefined;
	isOff: boolean;
	onSave: (days: number | null) => void;
}): ReactNode {
	const [typed, setTyped] = useState(String(value ?? ""));
	const days = typed.trim() === "" ? null : Number(typed);
	const isBad = days !== null && !(Number.isInteger(days) && days >= 1 && days <= 3_650);
	return (
		<form
			className="flex items-start gap-2"
			onSubmit={(event) => {
				event.preventDefault();
				if (!isBad && days !== value) onSave(days);
			}}
		>
			<Field
				label={NAMES.max_key_days}
				hint={hint ?? (days === null ? TEXTS.noEnd : undefined)}
				error={isBad ? TEXTS.badDays : undefined}
			>
				<Input
					value={typed}
					disabled={isOff}
					inputMode="numeric"
					aria-invalid={isBad}
					onChange={(event) => setTyped(event.target.value)}
				/>
			</Field>
			<Button type="submit" className="mt-[22px]" disabled={isOff || isBad || days === value}>
				{texts.action.save}
			</Button>
		</form>
	);
}
