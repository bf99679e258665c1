import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { createKey, type KeyKind } from "../lib/api-keys.ts";
import { leftKey } from "../lib/left-key.ts";
import { useCan } from "../lib/me.ts";
import { sendingTexts } from "../texts/sending-en.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { FormError } from "./form-error.tsx";
import { Select } from "./select.tsx";
import { SendSnippets } from "./send-snippets.tsx";
import { UnkeptSecret, useUnkeptSecret } from "./unkept-secret.tsx";

const TEXTS = sendingTexts;

/**
 * The snippets of a server that wants a key, which can be made here; it is in them until the page is left, which asks
 * first unless it was copied. If the page switches to what has arrived instead, the key is left to a dialog.
 */
export function KeyedSnippets({ project }: { project: string }): ReactNode {
	const can = useCan();
	const queries = useQueryClient();
	const [kind, setKind] = useState<KeyKind>("user");
	const create = useMutation({
		mutationFn: () => createKey(kind, { name: TEXTS.keyName(project) }),
		onSuccess: async ({ key: made }) => {
			if (isGone.current) leftKey.set(made);
			await queries.invalidateQueries({ queryKey: ["api-keys"] });
		},
		gcTime: 0,
	});
	const key = create.data?.key;
	const [isCopied, setCopied] = useState(false);
	const leaving = useUnkeptSecret(key !== undefined && !isCopied);
	const isGone = useRef(false);
	const unkept = useRef<string>(undefined);
	useEffect(() => {
		unkept.current = isCopied ? undefined : key;
	}, [key, isCopied]);
	useEffect(() => {
		isGone.current = false;
		return () => {
			isGone.current = true;
			if (unkept.current !== undefined) leftKey.set(unkept.current);
		};
	}, []);
	const leave = () => {
		unkept.current = undefined;
		leaving.proceed?.();
	};
	return (
		<>
			{leaving.status === "blocked" && (
				<Dialog open onOpenChange={leaving.reset} title={TEXTS.key} staysOnPress>
					<UnkeptSecret label={TEXTS.key} onStay={leaving.reset} onLeave={leave} />
				</Dialog>
			)}
			{key !== undefined ? (
				<p role="status" className="rounded bg-warn-soft px-3 py-2 text-warn">
					{TEXTS.made}
				</p>
			) : (
				<div className="flex flex-col gap-2">
					<p>{TEXTS.withKey}</p>
					<div className="flex flex-wrap items-center gap-2">
						<Button look="primary" disabled={create.isPending} onClick={() => create.mutate()}>
							{TEXTS.makeKey}
						</Button>
						{can("admin_session") && (
							<Select
								label={TEXTS.keyOf}
								value={kind}
								onChange={setKind}
								choices={[
									{ value: "user", label: TEXTS.ownKey },
									{ value: "system", label: TEXTS.systemKey },
								]}
							/>
						)}
						<Link to="/settings/api-keys" className="text-accent hover:underline">
							{TEXTS.allKeys}
						</Link>
					</div>
					<p className="text-muted text-sm">{kind === "system" ? TEXTS.systemKeyHint : TEXTS.ownKeyHint}</p>
					<FormError error={create.error} />
				</div>
			)}
			<div onCopy={() => setCopied(isCopied || (key !== undefined && String(getSelection()).includes(key)))}>
				<SendSnippets project={project} apiKey={key} onKeyCopied={() => setCopied(key !== undefined)} />
			</div>
		</>
	);
}
