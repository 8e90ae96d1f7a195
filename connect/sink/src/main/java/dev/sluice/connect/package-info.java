/** The connector and its task, as Kafka Connect runs them. Imports all packages below it. */
package dev.sluice.connect;
