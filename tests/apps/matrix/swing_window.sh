#!/bin/sh
# Starts MatrixWindow.java with the ATK wrapper, in this very process, so that its pid is the app's.
# Needs Debian's libatk-wrapper-java, libatk-wrapper-java-jni and openjdk-17-jdk.
# The wrapper must be named by property: Debian ships its line in accessibility.properties disabled.
exec java \
    -Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper \
    -Djava.library.path=/usr/lib/"$(uname -m)"-linux-gnu/jni \
    -cp /usr/share/java/java-atk-wrapper.jar \
    "$(dirname "$0")/MatrixWindow.java" "$@"
