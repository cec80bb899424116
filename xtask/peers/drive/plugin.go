package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

// plugin is a process that we started, the first of a process group: what it starts and leaves behind can be ended with it.
type plugin struct {
	command *exec.Cmd
	port    string
}

func start(program string, arguments []string) (*plugin, error) {
	// A child is told of its parent's death when the thread that started it ends.
	runtime.LockOSThread()
	command := exec.Command(program, arguments...)
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	reader := bufio.NewReader(output)
	port, err := reader.ReadString('\n')
	if err != nil {
		result := plugin{command: command}
		result.end()
		return nil, fmt.Errorf("%s printed no port: %w", program, err)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	return &plugin{command, strings.TrimSpace(port)}, nil
}

// end kills the group. Nothing is left to lose: whoever called had every answer.
func (p *plugin) end() {
	_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
	_ = p.command.Wait()
}
