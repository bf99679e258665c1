import type { AccessRule } from "@spanward/client";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../../lib/api.ts";
import { useDebounced } from "../../../lib/use-debounced.ts";
import { accessTexts as TEXTS } from "../../../texts/access-en.ts";
import { texts } from "../../../texts/en.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { Select } from "../../../ui/select.tsx";
import { SettingsPart } from "../project/settings-part.tsx";
import { findTyped, type ProjectRole, ROLES, rulesQuery } from "./access-queries.ts";

const TYPING_MS = 300;

/** Roles in all projects whose name fits a pattern. */
export function RulesSection(): ReactNode {
	const query = useQuery(rulesQuery);
	const [isNew, setNew] = useState(false);
	const [removed, setRemoved] = useState<AccessRule>();
	return (
		<SettingsPart title={TEXTS.rules} text={TEXTS.rulesText}>
			<Loaded data={query.data} query={query}>
				{(rules) =>
					rules.length === 0 ? (
						<p className="text-muted">{TEXTS.rulesNone}</p>
					) : (
						<ul aria-label={TEXTS.rules} className="flex flex-col border-line border-t">
							{rules.map((rule) => (
								<li key={rule.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b py-1.5">
									<span className="min-w-0 flex-1 basis-48">
										<code className="block truncate">{rule.pattern}</code>
										<span className="block text-muted text-sm [overflow-wrap:anywhere]">{givesText(rule)}</span>
									</span>
									<span className="text-muted text-sm">{TEXTS.fits(rule.project_count)}</span>
									<Button onClick={() => setRemoved(rule)}>{TEXTS.deleteRule}</Button>
								</li>
							))}
						</ul>
					)
				}
			</Loaded>
			<Button look="primary" className="self-start" onClick={() => setNew(true)}>
				<Plus size={14} aria-hidden />
				{TEXTS.newRule}
			</Button>
			{isNew && <RuleDialog onClose={() => setNew(false)} />}
			{removed && <DeleteDialog rule={removed} onClose={() => setRemoved(undefined)} />}
		</SettingsPart>
	);
}

function givesText({ grants, access_of_new: access }: AccessRule): string {
	const given = grants.map(({ subject, role }) => `${subject.name}: ${TEXTS.role[role]}`);
	return [...given, ...(access === null ? [] : [`${TEXTS.accessOfNew} ${TEXTS.access[access]}`])].join(", ");
}

function RuleDialog({ onClose }: { onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const [pattern, setPattern] = useState("");
	const [access, setAccess] = useState<"policy" | "open" | "restricted">("policy");
	const [typed, setTyped] = useState("");
	const [role, setRole] = useState<ProjectRole>("editor");
	const save = useMutation({
		mutationFn: async () => {
			const subject = typed.trim() === "" ? undefined : await findTyped(typed);
			if (typed.trim() !== "" && subject === undefined) throw new Error(TEXTS.nobodyFound);
			const named = subject && (subject.type === "user" ? { user: subject.id } : { team: subject.id });
			await api.post("/v1/access_rules", {
				body: {
					pattern: pattern.trim(),
					access_of_new: access === "policy" ? null : access,
					grants: named ? [{ subject: named, role }] : [],
				},
			});
		},
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["access-rules"] });
			await queries.invalidateQueries({ queryKey: ["access"] });
			onClose();
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (pattern.trim() !== "") save.mutate();
	};
	return (
		<FormDialog
			title={TEXTS.newRuleTitle}
			action={texts.action.create}
			isPending={save.isPending || pattern.trim() === ""}
			error={save.error}
			onSubmit={submit}
			onClose={onClose}
		>
			<Field label={TEXTS.pattern}>
				<Input
					value={pattern}
					maxLength={255}
					className="font-mono"
					onChange={(event) => setPattern(event.target.value)}
				/>
			</Field>
			<Preview pattern={pattern.trim()} />
			<Field label={TEXTS.ruleSubject} hint={TEXTS.ruleSubjectHint}>
				<Input value={typed} maxLength={1_000} onChange={(event) => setTyped(event.target.value)} />
			</Field>
			<Field label={TEXTS.addRole}>
				<Select value={role} onChange={setRole} choices={ROLES.map((value) => ({ value, label: TEXTS.role[value] }))} />
			</Field>
			<Field label={TEXTS.accessOfNew}>
				<Select
					value={access}
					onChange={setAccess}
					choices={[
						{ value: "policy", label: TEXTS.asPolicy },
						{ value: "open", label: TEXTS.access.open },
						{ value: "restricted", label: TEXTS.access.restricted },
					]}
				/>
			</Field>
		</FormDialog>
	);
}

/** Which projects a pattern fits, before it is saved. */
function Preview({ pattern }: { pattern: string }): ReactNode {
	const settled = useDebounced(pattern, TYPING_MS);
	const { data } = useQuery({
		queryKey: ["access-rules", "preview", settled],
		queryFn: async ({ signal }) =>
			(await api.post("/v1/access_rules/preview", { body: { pattern: settled }, signal })).data,
		enabled: settled !== "",
		placeholderData: keepPreviousData,
	});
	if (settled === "" || data === undefined) return null;
	const names = data.projects.map(({ name }) => name).join(", ");
	return (
		<p role="status" className="text-muted text-sm [overflow-wrap:anywhere]">
			{data.project_count === 0 ? TEXTS.fitsNone : `${TEXTS.fits(data.project_count)}: ${names}`}
			{data.project_count > data.projects.length && ", …"}
		</p>
	);
}

function DeleteDialog({ rule, onClose }: { rule: AccessRule; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const remove = useMutation({
		mutationFn: () => api.delete("/v1/access_rules/{rule_id}", { path: { rule_id: rule.id } }),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["access-rules"] });
			await queries.invalidateQueries({ queryKey: ["access"] });
			onClose();
		},
	});
	return (
		<ConfirmDialog
			title={TEXTS.deleteRuleTitle(rule.pattern)}
			action={TEXTS.deleteRule}
			mutation={remove}
			onClose={onClose}
		>
			<p>{TEXTS.deleteRuleText}</p>
		</ConfirmDialog>
	);
}
