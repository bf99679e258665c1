import { shownText } from "../sign-in/facts.ts";
import type { SignInErrorCode, StepName } from "../sign-in/steps.ts";
import type { OutgoingError, OutgoingReason } from "./outgoing.ts";
import { ProviderFault } from "./provider-fault.ts";

/** What a provider was asked for. */
export interface ProviderRequest {
	readonly step: StepName;
	/** As the subject of a sentence: `the discovery document`. */
	readonly what: string;
	readonly address: string;
	/** What the log-in page is told when nothing comes. */
	readonly code: SignInErrorCode;
}

interface Explanation {
	readonly text: string;
	readonly settings: readonly ("OIDC_CONFIG_URL" | "CA_CERT_FILE")[];
}

const EXPLANATIONS: Readonly<Record<OutgoingReason, Explanation>> = {
	bad_address: { text: "its address is not one that can be used", settings: ["OIDC_CONFIG_URL"] },
	insecure: {
		text: "its address is not https; http is accepted only for this machine",
		settings: ["OIDC_CONFIG_URL"],
	},
	forbidden_address: {
		text: "its address is link-local, reserved, or further inside the network than that of the discovery document",
		settings: ["OIDC_CONFIG_URL"],
	},
	unknown_host: { text: "the name of its host cannot be resolved", settings: ["OIDC_CONFIG_URL"] },
	refused: { text: "nothing listens at its address, or it cannot be reached", settings: ["OIDC_CONFIG_URL"] },
	timeout: { text: "there was no answer in time", settings: ["OIDC_CONFIG_URL"] },
	untrusted_certificate: {
		text: "the certificate of its host is signed by an authority that is not trusted here: set the PEM file with its certificate",
		settings: ["CA_CERT_FILE"],
	},
	expired_certificate: {
		text: "the certificate of its host is not valid at this time: renew it, or set the clock of this machine",
		settings: [],
	},
	certificate_of_another: {
		text: "the certificate of its host is for other names: use one of those in the address",
		settings: ["OIDC_CONFIG_URL"],
	},
	no_tls: { text: "its host does not speak TLS correctly", settings: ["OIDC_CONFIG_URL"] },
	redirected: {
		text: "its address redirects to another one; redirects are not followed",
		settings: ["OIDC_CONFIG_URL"],
	},
	too_large: { text: "the answer was larger than 1 MiB", settings: ["OIDC_CONFIG_URL"] },
	broken: { text: "the connection broke, or the answer was not HTTP", settings: ["OIDC_CONFIG_URL"] },
};

/** @param prefix of the provider's variables */
export function outgoingFault(error: OutgoingError, request: ProviderRequest, prefix: string): ProviderFault {
	const { text, settings } = EXPLANATIONS[error.reason];
	return new ProviderFault(request.step, `The request to the provider for ${request.what} failed: ${text}.`, {
		code: request.code,
		settings: settings.map((suffix) => prefix + suffix),
		facts: [{ name: "Address", value: shownText(request.address) }],
		cause: error,
	});
}
