/**
 * Sessions on the target, its catalog, its failures and their kinds; and the port that each kind of
 * target implements, {@link dev.sluice.sink.target.TargetDialect}. Imports {@code config} and
 * {@code connector.api}.
 */
package dev.sluice.sink.target;
