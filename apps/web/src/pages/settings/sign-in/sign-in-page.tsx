import { ApiError } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { type ReactNode, useEffect, useRef } from "react";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { SectionPage } from "../section-page.tsx";
import { Card } from "./card.tsx";
import { HowToSetUp } from "./how-to-set-up.tsx";
import { LdapCard } from "./ldap-card.tsx";
import { MailCard } from "./mail-card.tsx";
import { worstOf } from "./outcome-mark.tsx";
import { ProviderCard } from "./provider-card.tsx";
import { type SignInState, signInQuery, signInTryQuery } from "./sign-in-queries.ts";
import { StepList } from "./step-list.tsx";
import { TryReport } from "./try-report.tsx";

const TEXTS = settingsTexts.signIn;

/** Whether a try has expired, or is another admin's. */
function isGone(error: Error): boolean {
	return error instanceof ApiError && error.status === 404;
}

/** The ways to sign in, whether they work, and tries of what a log-in would lead to. */
export function SignInPage(): ReactNode {
	const query = useQuery(signInQuery);
	const { try: tryId } = useSearch({ from: "/settings/sign-in" });
	return (
		<SectionPage
			title={texts.settings.signIn}
			intro={TEXTS.intro}
			action={
				<Button disabled={query.isFetching} onClick={() => void query.refetch()}>
					<RefreshCw size={13} aria-hidden />
					{query.isFetching ? TEXTS.checking : TEXTS.check}
				</Button>
			}
		>
			{tryId !== undefined && <CameBack key={tryId} id={tryId} state={query.data} />}
			{query.data && <FormError error={query.error} />}
			<Loaded data={query.data} query={query}>
				{(state) => <Ways state={state} />}
			</Loaded>
		</SectionPage>
	);
}

function Ways({ state: { passwords, providers, ldap, mail, steps } }: { state: SignInState }): ReactNode {
	return (
		<>
			<Card title={TEXTS.passwords} outcome={passwords ? "ok" : "skipped"}>
				<p>{passwords ? TEXTS.passwordsOn : TEXTS.passwordsOff}</p>
			</Card>
			{providers.map((provider) => (
				<ProviderCard key={provider.id} provider={provider} />
			))}
			{ldap && <LdapCard directory={ldap} />}
			{providers.length === 0 && ldap === null && <HowToSetUp />}
			<MailCard mail={mail} />
			<Card title={TEXTS.arrival} outcome={worstOf(steps)}>
				<p className="text-muted">{TEXTS.arrivalText}</p>
				<StepList label={TEXTS.arrival} steps={steps} />
			</Card>
		</>
	);
}

/** The report of a try, after the provider sent the browser back. */
function CameBack({ id, state }: { id: string; state: SignInState | undefined }): ReactNode {
	const { data, error } = useQuery(signInTryQuery(id));
	const navigate = useNavigate();
	const box = useRef<HTMLElement>(null);
	const name = state?.providers.find((provider) => provider.id === data?.provider)?.name ?? data?.provider;
	useEffect(() => box.current?.focus(), []);
	return (
		<section
			ref={box}
			tabIndex={-1}
			aria-label={TEXTS.report}
			className="flex flex-col gap-3 rounded-md border border-line-strong p-4 outline-none"
		>
			<div className="flex flex-wrap items-center gap-x-3 gap-y-1">
				<h2 className="min-w-0 flex-1 font-semibold text-lg">
					{name ? TEXTS.reportOf(name) : TEXTS.report}
					{data && <RelativeTime time={data.at} className="ml-2 font-normal text-base text-muted" />}
				</h2>
				<Button onClick={() => void navigate({ to: "/settings/sign-in", replace: true })}>{TEXTS.closeReport}</Button>
			</div>
			{data && <TryReport report={data} />}
			{error && (isGone(error) ? <p role="alert">{TEXTS.gone}</p> : <FormError error={error} />)}
			{!data && !error && <SkeletonRows rows={4} />}
		</section>
	);
}
