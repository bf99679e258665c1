import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Card, EffectiveSettings } from "./card.tsx";
import { worstOf } from "./outcome-mark.tsx";
import { type SignInProvider, startTry } from "./sign-in-queries.ts";
import { StepList } from "./step-list.tsx";

const TEXTS = settingsTexts.signIn;

export function ProviderCard({ provider }: { provider: SignInProvider }): ReactNode {
	return (
		<Card title={provider.name} outcome={worstOf(provider.steps)}>
			<RedirectAddress uri={provider.redirect_uri} />
			<StepList label={TEXTS.checks} steps={provider.steps} />
			<EffectiveSettings settings={provider.settings} />
			<TrySignIn provider={provider} />
		</Card>
	);
}

function RedirectAddress({ uri }: { uri: string | null }): ReactNode {
	return (
		<div>
			<p className="text-muted text-sm">{TEXTS.redirect}</p>
			{uri === null ? (
				<p>{TEXTS.noRedirect}</p>
			) : (
				<div className="mt-0.5 flex items-center gap-1 rounded bg-sunken py-0.5 pr-0.5 pl-2">
					<code className="min-w-0 flex-1 font-mono text-sm [overflow-wrap:anywhere]">{uri}</code>
					<CopyButton text={uri} label={texts.action.copyNamed(TEXTS.redirectName)} />
				</div>
			)}
		</div>
	);
}

/** Starts a try at the provider, which returns here with a report, without logging in. */
function TrySignIn({ provider: { id, name } }: { provider: SignInProvider }): ReactNode {
	const hint = useId();
	const [asksAgain, setAsksAgain] = useState(false);
	const start = useMutation({
		mutationFn: () => startTry(id, asksAgain),
		onSuccess: (address) => {
			const url = new URL(address, location.origin);
			// Other schemes could run a script, or open a program of this machine.
			if (/^https?:$/.test(url.protocol)) location.assign(url);
		},
	});
	return (
		<div className="flex flex-col gap-2 border-line border-t pt-3">
			<div className="flex flex-wrap items-center gap-x-4 gap-y-2">
				<Button
					look="primary"
					disabled={start.isPending || start.isSuccess}
					aria-label={TEXTS.tryWith(name)}
					aria-describedby={hint}
					onClick={() => start.mutate()}
				>
					{TEXTS.try}
				</Button>
				<label className="flex items-center gap-2">
					<input type="checkbox" checked={asksAgain} onChange={(event) => setAsksAgain(event.target.checked)} />
					{TEXTS.asksAgain}
				</label>
			</div>
			<p id={hint} className="text-muted text-sm">
				{TEXTS.tryHint}
			</p>
			<FormError error={start.error} />
		</div>
	);
}
