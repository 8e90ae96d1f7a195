package dev.sluice.engine.command;

import picocli.CommandLine.IVersionProvider;

/** The release, as the jar's manifest has it. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {
      "sluice " + (version == null ? "(unpackaged)" : version),
      "Java " + System.getProperty("java.version")
    };
  }
}
