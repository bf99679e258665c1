import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../../lib/api.ts";
import { fieldErrors } from "../../../lib/field-errors.ts";
import { texts } from "../../../texts/en.ts";
import { modelsTexts as TEXTS } from "../../../texts/models-en.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Field, Input, TextArea } from "../../../ui/input.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { SegmentedControl } from "../../../ui/segmented-control.tsx";
import { Select } from "../../../ui/select.tsx";
import {
	asksAgain,
	type ConnectionDraft,
	changedBody,
	type DraftField,
	draftOf,
	draftProblems,
	LIMITS,
	newBody,
	newDraft,
} from "./connection-draft.ts";
import { type CredentialField, KINDS, KINDS_BY_FORM } from "./connection-kinds.ts";
import { TestReport } from "./connection-test.tsx";
import {
	type ModelConnection,
	type ModelConnectionPreset,
	modelConnectionQuery,
	type TaggedConnection,
} from "./model-queries.ts";

/** Changes a connection as it is stored when the dialog opens. */
export function EditConnectionDialog({
	connection,
	onClose,
}: {
	connection: ModelConnection;
	onClose: () => void;
}): ReactNode {
	const query = useQuery(modelConnectionQuery(connection.id));
	if (query.data)
		return <ConnectionDialog stored={query.data} initial={draftOf(query.data.connection)} onClose={onClose} />;
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.editTitle(connection.name)}>
			<div className="p-4">
				<Loaded data={undefined} query={query}>
					{() => null}
				</Loaded>
			</div>
		</Dialog>
	);
}

/** Adds a connection, to begin with one to this provider. */
export function AddConnectionDialog({
	presets,
	preset,
	onClose,
}: {
	presets: readonly ModelConnectionPreset[];
	preset: ModelConnectionPreset | undefined;
	onClose: () => void;
}): ReactNode {
	const initial =
		preset === undefined
			? newDraft(
					"openai",
					presets.find(({ id }) => id === "openai"),
				)
			: newDraft(preset.kind, preset);
	return <ConnectionDialog presets={presets} initial={initial} onClose={onClose} />;
}

const FIELDS = {
	...{ name: ["model_connection_exists"], base_url: ["forbidden_address"], default_model: [], models: [] },
	...{ region: [], project: [], location: [], api_version: [], organization: [] },
	...{ api_key: ["unknown_secret"], tenant_id: [], client_id: [], client_secret: [], service_account: [] },
	...{ access_key_id: [], secret_access_key: [], session_token: [], budget: [] },
	...{ max_concurrency: [], requests_per_minute: [], tokens_per_minute: [], timeout_seconds: [] },
} as const satisfies Record<DraftField | "models", readonly string[]>;

function ConnectionDialog({
	stored,
	initial,
	presets = [],
	onClose,
}: {
	stored?: TaggedConnection;
	initial: ConnectionDraft;
	presets?: readonly ModelConnectionPreset[];
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const before = stored?.connection;
	const [draft, setDraft] = useState(initial);
	const [found, setFound] = useState<Partial<Record<DraftField, string>>>({});
	const save = useMutation({
		mutationFn: async () => {
			if (before === undefined) await api.post("/v1/model_connections", { body: newBody(draft) });
			else
				await api.patch("/v1/model_connections/{connection_id}", {
					path: { connection_id: before.id },
					headers: { "if-match": stored?.etag ?? "*" },
					body: changedBody(draft, before),
				});
		},
		gcTime: 0,
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["model-connections"] });
			onClose();
		},
	});
	const answer = fieldErrors(save.error, FIELDS);
	const problems = { ...answer.at, ...found };
	const change = (part: Partial<ConnectionDraft>) => setDraft({ ...draft, ...part });
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const problem = draftProblems(draft, before);
		setFound(problem);
		if (Object.keys(problem).length === 0) save.mutate();
	};
	const { apis, settings, needsAddress } = KINDS[draft.kind];
	const [first] = apis;
	const ownAddress =
		before === undefined
			? presets.find(({ kind }) => kind === draft.kind && !needsAddress)?.base_url
			: before.base_url === null
				? before.address
				: undefined;
	return (
		<FormDialog
			title={before === undefined ? TEXTS.newTitle : TEXTS.editTitle(before.name)}
			action={texts.action.save}
			isPending={save.isPending}
			error={answer.rest}
			onSubmit={submit}
			onClose={onClose}
		>
			{before === undefined && <ProviderField draft={draft} presets={presets} onDraft={setDraft} />}
			<Field label={TEXTS.name} error={problems.name}>
				<Input
					value={draft.name}
					maxLength={100}
					aria-invalid={problems.name !== undefined}
					onChange={(event) => change({ name: event.target.value })}
				/>
			</Field>
			<Field
				label={TEXTS.address}
				hint={
					/\/\/localhost\b/.test(draft.address)
						? TEXTS.addressOfContainer
						: needsAddress
							? undefined
							: TEXTS.addressHint
				}
				error={problems.base_url}
			>
				<Input
					value={draft.address}
					type="url"
					className="font-mono"
					placeholder={ownAddress ?? ""}
					aria-invalid={problems.base_url !== undefined}
					onChange={(event) => change({ address: event.target.value, secret: undefined })}
				/>
			</Field>
			{settings.length > 0 && (
				<div className="grid gap-3 sm:grid-cols-2">
					{settings.map(({ field, needed }) => (
						<Field
							key={field}
							label={needed ? TEXTS.settings[field] : TEXTS.optional(TEXTS.settings[field])}
							error={problems[field]}
						>
							<Input
								value={draft.settings[field] ?? ""}
								aria-invalid={problems[field] !== undefined}
								onChange={(event) => change({ settings: { ...draft.settings, [field]: event.target.value } })}
							/>
						</Field>
					))}
				</div>
			)}
			{first !== undefined && (
				<Field label={TEXTS.api}>
					<Select
						value={draft.api ?? first}
						onChange={(api) => change({ api })}
						choices={apis.map((value) => ({ value, label: TEXTS.apis[value] }))}
					/>
				</Field>
			)}
			<Credentials draft={draft} stored={before} presets={presets} problems={problems} onChange={change} />
			<Models draft={draft} problems={problems} onChange={change} />
			<More draft={draft} problems={problems} onChange={change} />
			{before === undefined && <TestDraft draft={draft} onProblems={setFound} />}
		</FormDialog>
	);
}

/** Tries what is entered before it is saved, with the default model where there is one. */
function TestDraft({
	draft,
	onProblems,
}: {
	draft: ConnectionDraft;
	onProblems: (problems: Partial<Record<DraftField, string>>) => void;
}): ReactNode {
	const model = draft.defaultModel.trim();
	const test = useMutation({
		mutationFn: () => api.post("/v1/model_connections/test", { body: { ...newBody(draft), model: model || null } }),
		gcTime: 0,
	});
	const run = () => {
		const problems = draftProblems(draft, undefined);
		onProblems(problems);
		if (Object.keys(problems).length === 0) test.mutate();
	};
	return (
		<div className="flex flex-col gap-2">
			<div className="flex flex-wrap items-center gap-x-3 gap-y-1">
				<Button disabled={test.isPending} onClick={run}>
					{TEXTS.test}
				</Button>
				<span className="min-w-0 flex-1 text-muted text-sm">{model === "" ? TEXTS.testFree : TEXTS.testCosts}</span>
			</div>
			<FormError error={test.error} />
			<TestReport report={test.data} isPending={test.isPending} />
		</div>
	);
}

/** A preset, or a kind that has none. */
function ProviderField({
	draft,
	presets,
	onDraft,
}: {
	draft: ConnectionDraft;
	presets: readonly ModelConnectionPreset[];
	onDraft: (draft: ConnectionDraft) => void;
}): ReactNode {
	const [value, setValue] = useState(
		() => presets.find(({ id, kind }) => id === draft.name && kind === draft.kind)?.id ?? draft.kind,
	);
	const choices = [
		...presets.map(({ id, name }) => ({ value: id, label: name })),
		...KINDS_BY_FORM.map((kind) => ({ value: kind as string, label: TEXTS.kind[kind] })),
		{ value: "openai_compatible", label: TEXTS.other },
	];
	const choose = (id: string) => {
		const preset = presets.find((each) => each.id === id);
		const kind = KINDS_BY_FORM.find((each) => each === id) ?? "openai_compatible";
		setValue(id);
		onDraft(preset === undefined ? newDraft(kind) : newDraft(preset.kind, preset));
	};
	return (
		<Field label={TEXTS.provider}>
			<Select value={value} onChange={choose} choices={choices} />
		</Field>
	);
}

interface PartProps {
	readonly draft: ConnectionDraft;
	readonly problems: Partial<Record<DraftField | "models", string>>;
	readonly onChange: (part: Partial<ConnectionDraft>) => void;
}

function Credentials({
	draft,
	stored,
	presets,
	problems,
	onChange,
}: PartProps & {
	stored: ModelConnection | undefined;
	presets: readonly ModelConnectionPreset[];
}): ReactNode {
	const { ways, optional } = KINDS[draft.kind];
	const fields = ways[draft.way] ?? [];
	const again = asksAgain(draft, stored);
	const secret = presets.find(
		({ kind, base_url: url }) => kind === draft.kind && (draft.address === "" || draft.address === url),
	)?.secret;
	const hintOf = (field: CredentialField) => {
		const held = stored?.credentials?.[field];
		if (held === undefined || again) return undefined;
		return held.secret === null ? TEXTS.kept : TEXTS.usesSecret(held.secret);
	};
	return (
		<>
			{ways.length > 1 && (
				<div className="flex flex-col items-start gap-1">
					<span className="text-muted text-sm">{TEXTS.way}</span>
					<SegmentedControl
						label={TEXTS.way}
						value={String(draft.way)}
						onChange={(way) => onChange({ way: Number(way), credentials: {} })}
						choices={ways.map(([name], index) => ({ value: String(index), label: wayName(name) }))}
					/>
				</div>
			)}
			{secret?.is_stored && (
				<label className="flex items-center gap-2">
					<input
						type="checkbox"
						checked={draft.secret !== undefined}
						onChange={(event) => onChange({ secret: event.target.checked ? secret.key : undefined })}
					/>
					{TEXTS.useSecret(secret.key)}
				</label>
			)}
			{draft.secret === undefined &&
				fields.map((field) => (
					<Field
						key={field}
						label={optional.includes(field) ? TEXTS.optional(TEXTS.credential[field]) : TEXTS.credential[field]}
						hint={hintOf(field)}
						error={problems[field]}
					>
						<CredentialInput
							field={field}
							value={draft.credentials[field] ?? ""}
							isWrong={problems[field] !== undefined}
							onChange={(value) => onChange({ credentials: { ...draft.credentials, [field]: value } })}
						/>
					</Field>
				))}
		</>
	);
}

function wayName(first: CredentialField | undefined): string {
	return first !== undefined && first in TEXTS.ways ? TEXTS.ways[first as keyof typeof TEXTS.ways] : "";
}

const OPEN: ReadonlySet<CredentialField> = new Set(["tenant_id", "client_id", "access_key_id"]);

function CredentialInput({
	field,
	value,
	isWrong,
	onChange,
}: {
	field: CredentialField;
	value: string;
	isWrong: boolean;
	onChange: (value: string) => void;
}): ReactNode {
	if (field === "service_account") {
		return (
			<TextArea
				value={value}
				rows={4}
				autoComplete="off"
				aria-invalid={isWrong}
				onChange={(event) => onChange(event.target.value)}
				className="font-mono text-sm"
			/>
		);
	}
	return (
		<Input
			value={value}
			type={OPEN.has(field) ? "text" : "password"}
			// Not a password that a browser should offer to keep.
			autoComplete={OPEN.has(field) ? "off" : "new-password"}
			aria-invalid={isWrong}
			onChange={(event) => onChange(event.target.value)}
			className="font-mono"
		/>
	);
}

function Models({ draft, problems, onChange }: PartProps): ReactNode {
	return (
		<div className="grid gap-3 sm:grid-cols-2">
			<Field label={TEXTS.models} hint={TEXTS.modelsHint} error={problems.models}>
				<TextArea
					value={draft.models}
					rows={3}
					aria-invalid={problems.models !== undefined}
					onChange={(event) => onChange({ models: event.target.value })}
					className="font-mono text-sm"
				/>
			</Field>
			<Field label={TEXTS.defaultModel} error={problems.default_model}>
				<Input
					value={draft.defaultModel}
					aria-invalid={problems.default_model !== undefined}
					onChange={(event) => onChange({ defaultModel: event.target.value })}
					className="font-mono"
				/>
			</Field>
		</div>
	);
}

const LIMIT_LABELS = {
	max_concurrency: TEXTS.maxConcurrency,
	requests_per_minute: TEXTS.requestsPerMinute,
	tokens_per_minute: TEXTS.tokensPerMinute,
	timeout_seconds: TEXTS.timeout,
} as const;
const WHO = (["members", "admins"] as const).map((value) => ({ value, label: TEXTS.who[value] }));

/** What most connections leave as it is. */
function More({ draft, problems, onChange }: PartProps): ReactNode {
	const isWrong = [...LIMITS, "budget" as const].some((field) => problems[field] !== undefined);
	const [open, setOpen] = useState(draft.headers.length > 0);
	return (
		<details open={open || isWrong} onToggle={(event) => setOpen(event.currentTarget.open)}>
			<summary className="w-fit cursor-pointer">{TEXTS.more}</summary>
			<div className="flex flex-col gap-3 pt-3">
				<fieldset className="flex flex-col gap-1">
					<legend className="mb-1 text-muted text-sm">{TEXTS.limits}</legend>
					<div className="grid grid-cols-2 gap-x-3 gap-y-2 sm:grid-cols-3">
						{LIMITS.map((limit) => (
							<Field key={limit} label={LIMIT_LABELS[limit]} error={problems[limit]}>
								<Input
									value={draft.limits[limit]}
									inputMode="numeric"
									placeholder={TEXTS.noLimit}
									aria-invalid={problems[limit] !== undefined}
									onChange={(event) => onChange({ limits: { ...draft.limits, [limit]: event.target.value } })}
								/>
							</Field>
						))}
						<Field label={TEXTS.budget} error={problems.budget}>
							<Input
								value={draft.budget}
								inputMode="decimal"
								placeholder={TEXTS.noLimit}
								aria-invalid={problems.budget !== undefined}
								onChange={(event) => onChange({ budget: event.target.value })}
							/>
						</Field>
					</div>
				</fieldset>
				<Field label={TEXTS.useBy}>
					<Select value={draft.useBy} onChange={(useBy) => onChange({ useBy })} choices={WHO} />
				</Field>
				<Field label={TEXTS.rulesBy}>
					<Select value={draft.rulesBy} onChange={(rulesBy) => onChange({ rulesBy })} choices={WHO} />
				</Field>
				<Headers draft={draft} onChange={onChange} />
			</div>
		</details>
	);
}

function Headers({ draft: { headers }, onChange }: Pick<PartProps, "draft" | "onChange">): ReactNode {
	const put = (index: number, part: Partial<ConnectionDraft["headers"][number]>) =>
		onChange({ headers: headers.map((header, at) => (at === index ? { ...header, ...part } : header)) });
	return (
		<fieldset className="flex flex-col items-start gap-1">
			<legend className="mb-1 text-muted text-sm">{TEXTS.headers}</legend>
			{headers.map(({ name, value, isStored }, index) => (
				<div key={index} className="grid w-full grid-cols-[1fr_1fr_auto] gap-2">
					<Input
						value={name}
						aria-label={TEXTS.headerName}
						placeholder={TEXTS.headerNameShort}
						readOnly={isStored}
						className="font-mono"
						onChange={(event) => put(index, { name: event.target.value })}
					/>
					<Input
						value={value}
						aria-label={TEXTS.headerValue}
						type="password"
						autoComplete="new-password"
						placeholder={isStored ? TEXTS.kept : TEXTS.headerValueShort}
						className="font-mono"
						onChange={(event) => put(index, { value: event.target.value })}
					/>
					<IconButton
						label={TEXTS.removeHeader(name)}
						onClick={() => onChange({ headers: headers.filter((_, at) => at !== index) })}
					>
						<X size={14} aria-hidden />
					</IconButton>
				</div>
			))}
			<Button onClick={() => onChange({ headers: [...headers, { name: "", value: "", isStored: false }] })}>
				<Plus size={14} aria-hidden />
				{TEXTS.addHeader}
			</Button>
		</fieldset>
	);
}
