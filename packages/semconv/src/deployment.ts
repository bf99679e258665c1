import { textValue } from "./attribute-values.ts";
import type { Attributes, Deployment } from "./model.ts";

/** Of the resource alone, where it comes before all others. */
const SERVICE_VERSION = "service.version";
const RELEASE_KEYS = ["langfuse.release", "release", "app.version"] as const;
const ENVIRONMENT_KEYS = ["deployment.environment.name", "deployment.environment", "langfuse.environment"] as const;

export const DEPLOYMENT_KEYS: readonly string[] = [...RELEASE_KEYS, ...ENVIRONMENT_KEYS];

/** The attributes of resources that tell of deployments. */
export const RESOURCE_DEPLOYMENT_KEYS: readonly string[] = [SERVICE_VERSION, ...DEPLOYMENT_KEYS];

/**
 * Adds to `into` the release and the environment of what sent a span. Each key is looked for among the attributes of the span
 * first, then among those of its resource.
 */
export function readDeployment<Into extends Deployment>(
	attributes: Attributes,
	resource: Attributes,
	into: Into,
): Into {
	const release = textValue(resource.get(SERVICE_VERSION)) ?? firstOfBoth(attributes, resource, RELEASE_KEYS);
	if (release !== undefined) into.release = release;
	const environment = firstOfBoth(attributes, resource, ENVIRONMENT_KEYS);
	if (environment !== undefined) into.environment = environment;
	return into;
}

function firstOfBoth(attributes: Attributes, resource: Attributes, keys: readonly string[]): string | undefined {
	for (const key of keys) {
		const text = textValue(attributes.get(key)) ?? textValue(resource.get(key));
		if (text !== undefined) return text;
	}
	return undefined;
}
