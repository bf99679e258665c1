import type { AccessRule } from "@spanward/client";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import X from "lucide-react/icons/x";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import {
	findTyped,
	type ProjectRole,
	ROLE_CHOICES,
	ruleQuery,
	type TaggedRule,
	toBody,
} from "../../../homes/access-queries.ts";
import { api } from "../../../lib/api.ts";
import { useDebounced } from "../../../lib/use-debounced.ts";
import { accessTexts as TEXTS } from "../../../texts/access-en.ts";
import { texts } from "../../../texts/en.ts";
import { IconButton } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { Select } from "../../../ui/select.tsx";
import { SaveError } from "./changed-meanwhile.tsx";

const TYPING_MS = 300;

type RuleGrant = AccessRule["grants"][number];

/** What a rule gives, in words. */
export function givesText({ grants, access_of_new: access }: AccessRule): string {
	const given = grants.map(({ subject, role }) => `${subject.name}: ${TEXTS.role[role]}`);
	return [...given, ...(access === null ? [] : [TEXTS.newAre[access]])].join(", ");
}

/** Changes the rule as it is stored when the dialog opens. */
export function EditRuleDialog({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
	const query = useQuery({ ...ruleQuery(id), staleTime: 0, gcTime: 0, refetchOnWindowFocus: false });
	if (query.data) return <RuleDialog stored={query.data} onClose={onClose} />;
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.editRuleTitle}>
			<div className="p-4">
				<Loaded data={undefined} query={query}>
					{() => null}
				</Loaded>
			</div>
		</Dialog>
	);
}

/** A new rule, or the stored one. */
export function RuleDialog({ stored, onClose }: { stored?: TaggedRule; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const [opened] = useState(stored?.rule);
	/** The state that saving replaces. */
	const [seen, setSeen] = useState(stored);
	const [pattern, setPattern] = useState(opened?.pattern ?? "");
	const [description, setDescription] = useState(opened?.description ?? "");
	const [access, setAccess] = useState<"policy" | "open" | "restricted">(opened?.access_of_new ?? "policy");
	const [grants, setGrants] = useState<readonly RuleGrant[]>(opened?.grants ?? []);
	const [typed, setTyped] = useState("");
	const [role, setRole] = useState<ProjectRole>("editor");
	const save = useMutation({
		mutationFn: async () => {
			const subject = typed.trim() === "" ? undefined : await findTyped(typed);
			if (typed.trim() !== "" && subject === undefined) throw new Error(TEXTS.nobodyFound);
			const others = grants.filter((grant) => grant.subject.id !== subject?.id);
			const body = {
				pattern: pattern.trim(),
				access_of_new: access === "policy" ? null : access,
				description: description.trim() || null,
				grants: [...others, ...(subject ? [{ subject, role }] : [])].map((grant) => ({
					subject: toBody(grant.subject),
					role: grant.role,
				})),
			};
			if (seen === undefined) await api.post("/v1/access_rules", { body });
			else
				await api.patch("/v1/access_rules/{rule_id}", {
					path: { rule_id: seen.rule.id },
					headers: { "if-match": seen.etag ?? "*" },
					body,
				});
		},
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["access-rules"] });
			await queries.invalidateQueries({ queryKey: ["access"] });
			onClose();
		},
	});
	const look = useMutation({
		mutationFn: async (id: string) => await queries.fetchQuery({ ...ruleQuery(id), staleTime: 0 }),
		onSuccess: (now) => {
			setSeen(now);
			save.reset();
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (pattern.trim() !== "") save.mutate();
	};
	const isChanged = seen !== undefined && seen !== stored;
	return (
		<FormDialog
			title={opened ? TEXTS.editRuleTitle : TEXTS.newRuleTitle}
			action={opened ? texts.action.save : texts.action.create}
			isPending={save.isPending || pattern.trim() === ""}
			error={look.error}
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
			{grants.length > 0 && (
				<ul aria-label={TEXTS.ruleGives} className="flex flex-col border-line border-t">
					{grants.map((grant) => (
						<li key={grant.subject.id} className="flex items-center gap-2 border-line border-b py-1">
							<span className="min-w-0 flex-1 truncate">
								{grant.subject.name}
								{grant.subject.type === "team" && <span className="text-muted text-sm"> {TEXTS.team}</span>}
							</span>
							<Select
								label={TEXTS.roleOf(grant.subject.name)}
								value={grant.role}
								choices={ROLE_CHOICES}
								onChange={(to) => setGrants(grants.map((each) => (each === grant ? { ...each, role: to } : each)))}
							/>
							<IconButton
								label={TEXTS.remove(grant.subject.name)}
								onClick={() => setGrants(grants.filter((each) => each !== grant))}
							>
								<X size={15} aria-hidden />
							</IconButton>
						</li>
					))}
				</ul>
			)}
			<Field label={opened ? TEXTS.ruleSubjectMore : TEXTS.ruleSubject} hint={TEXTS.ruleSubjectHint}>
				<Input value={typed} maxLength={1_000} onChange={(event) => setTyped(event.target.value)} />
			</Field>
			<Field label={TEXTS.addRole} hint={TEXTS.roleText[role]}>
				<Select value={role} onChange={setRole} choices={ROLE_CHOICES} />
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
			<Field label={TEXTS.ruleDescription}>
				<Input value={description} maxLength={10_000} onChange={(event) => setDescription(event.target.value)} />
			</Field>
			<SaveError error={save.error} onLook={() => seen && look.mutate(seen.rule.id)} />
			{isChanged && (
				<p role="status" className="rounded bg-sunken px-3 py-2 [overflow-wrap:anywhere]">
					{TEXTS.ruleNow} <code>{seen.rule.pattern}</code>. {givesText(seen.rule)}
				</p>
			)}
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
